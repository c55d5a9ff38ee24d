#!/bin/sh
# make-secrets.sh DIRECTORY SEAL: makes what the stack has to keep secret, each once and never again.
# DIRECTORY gets passwords and connection strings in files, and a certificate authority with one certificate a log node.
# SEAL gets the keys that sign checkpoints, one for each log, because only processes that project may read them.
set -eu
umask 077
directory=$1
mkdir -p "$directory" "$2"
seal=$(cd "$2" && pwd)
cd "$directory"
chmod 755 .

# Owners inside the images: postgres 999, the log 1000, the service (node) 1000, the file store root.
POSTGRES_UID=999 LOG_UID=1000 SERVICE_UID=1000

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# secret FILE UID TEXT: written under another name first, so that a file is there whole or not at all.
secret() {
  [ -e "$1" ] && return
  mkdir -p "$(dirname "$1")"
  chmod 755 "$(dirname "$1")"
  printf "%s" "$3" >"$1.part"
  chown "$2" "$1.part"
  chmod 400 "$1.part"
  mv "$1.part" "$1"
}

# checkpoint_key NAME: a key as `ops log new-key NAME` makes it, of which the image of this script has no program.
checkpoint_key() {
  openssl genpkey -algorithm ed25519 -outform DER -out "$seal/new.der"
  openssl pkey -inform DER -in "$seal/new.der" -pubout -outform DER -out "$seal/new.pub"
  id=$({ printf '%s\n\001' "$1"; tail -c 32 "$seal/new.pub"; } | sha256sum | cut -c 1-8)
  printf 'PRIVATE+KEY+%s+%s+%s' "$1" "$id" "$({ printf '\001'; tail -c 32 "$seal/new.der"; } | base64 -w 0)"
  rm "$seal/new.der" "$seal/new.pub"
}

copy() { secret "$2" "$3" "$(cat "$1")"; }

secret postgres/password $POSTGRES_UID "$(random)"
secret files/access-key 0 "files"
secret files/secret-key 0 "$(random)"
secret log/admin-password $LOG_UID "$(random)"

secret service/database-url $SERVICE_UID "postgres://app:$(cat postgres/password)@postgres:5432/app"
secret service/cluster-database-url $SERVICE_UID "postgres://app:$(cat postgres/password)@postgres:5432/cluster"
copy files/access-key service/s3-access-key $SERVICE_UID
copy files/secret-key service/s3-secret-key $SERVICE_UID
secret service/jwt-secret $SERVICE_UID "$(random)"
secret service/snapshot-key $SERVICE_UID "$(random)"
secret service/event-key $SERVICE_UID "$(random)"
# An earlier version put the key where every process could read it.
if [ -e service/checkpoint-key ]; then
  copy service/checkpoint-key "$seal/checkpoint-key" $SERVICE_UID
  rm service/checkpoint-key
fi
[ -e "$seal/checkpoint-key" ] ||
  secret "$seal/checkpoint-key" $SERVICE_UID "$(checkpoint_key "stack/$(random | cut -c 1-16)")"
[ -e "$seal/cluster-checkpoint-key" ] ||
  secret "$seal/cluster-checkpoint-key" $SERVICE_UID "$(checkpoint_key "cluster/$(random | cut -c 1-16)")"
secret service/log-url $SERVICE_UID 'esdb://log:2113?tls=false'
secret service/cluster-url $SERVICE_UID \
  "esdb://admin:$(cat log/admin-password)@log1:2113,log2:2113,log3:2113?tls=true&tlsCAFile=/secrets/service/ca.crt"

mkdir -p ca
if [ ! -e ca/ca.crt ]; then
  openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj '/CN=log authority' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout ca/ca.key -out ca/ca.crt.part 2>/dev/null
  mv ca/ca.crt.part ca/ca.crt
fi
copy ca/ca.crt service/ca.crt $SERVICE_UID
copy ca/ca.crt log/ca/ca.crt $LOG_UID
for node in log1 log2 log3; do
  [ -e "log/$node/node.crt" ] && continue
  mkdir -p "log/$node"
  # The nodes know each other by this common name.
  openssl req -newkey rsa:2048 -nodes -subj '/CN=eventstoredb-node' -keyout "log/$node/node.key" \
    -out "log/$node/node.csr" 2>/dev/null
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=digitalSignature,keyEncipherment\n' \
    "$node" >"log/$node/node.ext"
  openssl x509 -req -in "log/$node/node.csr" -CA ca/ca.crt -CAkey ca/ca.key -CAcreateserial -days 3650 \
    -extfile "log/$node/node.ext" -out "log/$node/node.crt.part" 2>/dev/null
  rm "log/$node/node.csr" "log/$node/node.ext"
  mv "log/$node/node.crt.part" "log/$node/node.crt"
done
chown -R $LOG_UID log
find log -type d -exec chmod 755 {} +
