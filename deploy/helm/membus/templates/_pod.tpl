{{- /* The pod of a host: a single host with a volume, or one host of a cluster. */ -}}
{{- define "membus.pod" -}}
{{- $name := include "membus.name" . -}}
{{- $nats := .Values.nats -}}
metadata:
  labels: {{- include "membus.labels" . | nindent 4 }}
  annotations:
    # Restarts the host after a change of its settings, or of keys in nats.files.
    checksum/config: {{ include "membus.config" . | sha256sum }}
    checksum/files: {{ toYaml $nats.files | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  automountServiceAccountToken: false
  # Time to complete requests in progress and flush, in a cluster also to hand shards over.
  terminationGracePeriodSeconds: 90
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: membus
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: ["up", "--config", "/etc/membus/membus.yaml"]
      env:
        - { name: NATS_URL, value: {{ $nats.url | quote }} }
        {{- if not .Values.cluster.enabled }}
        # A new volume may have a folder lost+found, so the data has a separate folder.
        - { name: MEMBUS_DATA, value: /var/lib/membus/data }
        {{- end }}
        {{- if eq $nats.auth "nkeys" }}
        - { name: MEMBUS_NATS_AUTH, value: /etc/membus/auth }
        {{- else if eq $nats.auth "creds" }}
        - { name: MEMBUS_NATS_CREDENTIALS, value: /etc/membus/auth/keys/host.creds }
        {{- end }}
        {{- if $nats.caSecret }}
        - { name: MEMBUS_NATS_TLS_CA, value: /etc/membus/ca/ca.crt }
        {{- end }}
      {{- with include "membus.envFrom" . }}
      envFrom: {{- . | nindent 8 }}
      {{- end }}
      ports:
        - { name: health, containerPort: 9464 }
        {{- if .Values.gateway.enabled }}
        - { name: http, containerPort: 8765 }
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 5
        failureThreshold: 120
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 5
        timeoutSeconds: 5
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        {{- if not .Values.cluster.enabled }}
        - { name: data, mountPath: /var/lib/membus }
        {{- end }}
        - { name: config, mountPath: /etc/membus/membus.yaml, subPath: membus.yaml, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        {{- if ne $nats.auth "none" }}
        - { name: auth, mountPath: /etc/membus/auth/keys, readOnly: true }
        {{- end }}
        {{- if $nats.caSecret }}
        - { name: ca, mountPath: /etc/membus/ca, readOnly: true }
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ $name }} }
    - name: tmp
      emptyDir: {}
    # Mode 288 is 0440: readable by the group, which is fsGroup.
    {{- if ne $nats.auth "none" }}
    - name: auth
      secret: { secretName: {{ include "membus.secret" . }}, defaultMode: 288 }
    {{- end }}
    {{- if $nats.caSecret }}
    - name: ca
      secret: { secretName: {{ $nats.caSecret }}, defaultMode: 288 }
    {{- end }}
  {{- if .Values.cluster.enabled }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "membus.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
