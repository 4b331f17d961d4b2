#!/bin/sh
# Starts the trial image. The first start creates a token, because every machine that reaches a published port could
# otherwise act as any agent.
set -eu
umask 077
folder=/var/lib/membus
if [ ! -e "$folder/membus.yaml" ]; then
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$folder/token"
  sha256=$(sha256sum <"$folder/token" | cut -d ' ' -f 1)
  cat >"$folder/draft.yaml" <<END
nats: { port: 4222 }
http: true
gateway:
  listen: 0.0.0.0:8765
  inspector: true
  tokens: [{ sha256: $sha256, tenant: default }]
END
  mv "$folder/draft.yaml" "$folder/membus.yaml"
fi
echo "Your memories in a browser: http://127.0.0.1:8765/#token=$(cat "$folder/token")"
exec /opt/membus/cli/bin/membus.js up --config "$folder/membus.yaml" --health-port 9464 "$@"
