{{- define "membus.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) }}
{{- $name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "membus.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "membus.labels" -}}
{{ include "membus.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* The name of the secret with the files of `nats.auth`. */ -}}
{{- define "membus.secret" -}}
{{- if .Values.nats.existingSecret }}{{ .Values.nats.existingSecret }}
{{- else if .Values.nats.files }}{{ include "membus.name" . }}-nats
{{- else }}{{ fail (printf "nats.auth is %s: set nats.existingSecret or nats.files" .Values.nats.auth) }}
{{- end }}
{{- end }}

{{- /* Sources of environment variables. In a cluster also the secret of the object store. */ -}}
{{- define "membus.envFrom" -}}
{{- $sources := .Values.envFrom }}
{{- if .Values.cluster.enabled }}
{{- $secret := required "cluster.storeSecret: name the secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" .Values.cluster.storeSecret }}
{{- $sources = append $sources (dict "secretRef" (dict "name" $secret)) }}
{{- end }}
{{- if $sources }}{{ toYaml $sources }}{{ end }}
{{- end }}

{{- /* The text of membus.yaml. */ -}}
{{- define "membus.config" -}}
{{- $name := include "membus.name" . }}
{{- $config := deepCopy .Values.config }}
{{- $_ := set $config "health" (dict "port" 9464 "host" "0.0.0.0") }}
{{- with .Values.cluster }}
{{- if .enabled }}
{{- $cluster := dict "name" .name }}
{{- with .monitoring }}{{ $_ := set $cluster "monitoring" . }}{{ end }}
{{- $_ := set $config "cluster" $cluster }}
{{- end }}
{{- end }}
{{- with .Values.gateway }}
{{- if .enabled }}
{{- $namespaced := printf "%s-http.%s" $name $.Release.Namespace }}
{{- $hosts := list (printf "%s-http" $name) $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced) }}
{{- $_ := set $config "http" true }}
{{- $gateway := dict "listen" "0.0.0.0:8765" "inspector" .inspector "tokens" .tokens "hosts" (concat $hosts .hosts) }}
{{- with .oauth }}{{ $_ := set $gateway "oauth" . }}{{ end }}
{{- $_ := set $config "gateway" $gateway }}
{{- end }}
{{- end }}
{{- toYaml $config }}
{{- end }}
