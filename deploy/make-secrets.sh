#!/bin/sh
# make-secrets.sh KEPT HANDED [LOGS]: makes what the stack has to keep secret, each once and never again.
# KEPT has all of it: passwords and connection strings in files, the keys that sign checkpoints, and a certificate authority
# with a certificate for each log node. No service sees it.
# HANDED has a directory for each kind of service, with copies of what it needs, which belong to the user that it runs as.
# LOGS has the data directories of the log nodes. They are given to the user that the log runs as, whichever image had them.
set -eu
umask 077
mkdir -p "$1" "$2"
handed=$(cd "$2" && pwd)
logs=${3:+$(cd "$3" && pwd)}
cd "$1"

# Owners inside the images: postgres 999, the log 1000, the service (node) 1000, the file store root.
POSTGRES_UID=999 LOG_UID=1000 SERVICE_UID=1000 FILES_UID=0

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# secret FILE COMMAND...: keeps what the command writes, unless the file has something already. The text is assigned before it
# is used, because a command that fails in an argument does not end the script, and an empty secret would be kept for ever.
# It is written under another name first, so that a file is there whole or not at all.
secret() {
  if [ -s "$1" ]; then return; fi
  file=$1
  shift
  text=$("$@")
  if [ -z "$text" ]; then
    echo "make-secrets.sh: $file would be empty" >&2
    exit 1
  fi
  mkdir -p "$(dirname "$file")"
  printf "%s" "$text" >"$file.part"
  mv "$file.part" "$file"
}

# checkpoint_key KIND: a key as `ops log new-key KIND/RANDOM` makes it, of which the image of this script has no program.
checkpoint_key() {
  name=$1/$(random | cut -c 1-16)
  openssl genpkey -algorithm ed25519 -outform DER -out seal/new.der
  openssl pkey -inform DER -in seal/new.der -pubout -outform DER -out seal/new.pub
  id=$({ printf '%s\n\001' "$name"; tail -c 32 seal/new.pub; } | sha256sum | cut -c 1-8)
  material=$({ printf '\001'; tail -c 32 seal/new.der; } | base64 -w 0)
  printf 'PRIVATE+KEY+%s+%s+%s' "$name" "$id" "$material"
  rm seal/new.der seal/new.pub
}

# keep FILE KEPT: takes a secret back from where an earlier version had its only copy.
keep() { if [ -s "$1" ]; then secret "$2" cat "$1"; fi; }

# hand KEPT TO UID: the copy is replaced when the secret is another one.
hand() {
  to=$handed/$2
  if cmp -s "$1" "$to"; then return; fi
  mkdir -p "$(dirname "$to")"
  chmod 755 "$(dirname "$to")"
  cp "$1" "$to.part"
  chown "$3" "$to.part"
  chmod 400 "$to.part"
  mv "$to.part" "$to"
}

secret postgres/password random
secret files/access-key printf files
secret files/secret-key random
secret log/admin-password random

# Each stack has keys of its own. An earlier version gave the cluster those of the other stack: there it keeps them.
for key in jwt-secret snapshot-key event-key link-key; do
  keep service/$key cluster/$key
  secret cluster/$key random
  secret service/$key random
done

mkdir -p seal
keep service/checkpoint-key seal/checkpoint-key
keep "$handed/seal/checkpoint-key" seal/checkpoint-key
keep "$handed/seal/cluster-checkpoint-key" seal/cluster-checkpoint-key
rm -f service/checkpoint-key "$handed/seal/cluster-checkpoint-key"
secret seal/checkpoint-key checkpoint_key stack
secret seal/cluster-checkpoint-key checkpoint_key cluster

mkdir -p ca
if [ ! -e ca/ca.crt ]; then
  openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj '/CN=log authority' \
    -addext 'keyUsage=critical,keyCertSign,cRLSign' -keyout ca/ca.key -out ca/ca.crt.part 2>/dev/null
  mv ca/ca.crt.part ca/ca.crt
fi
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

# Connection strings follow from the rest. An earlier version had one for each stack in one directory.
mkdir -p urls
printf 'postgres://app:%s@postgres:5432/app' "$(cat postgres/password)" >urls/database
printf 'postgres://app:%s@postgres:5432/cluster' "$(cat postgres/password)" >urls/cluster-database
printf 'esdb://log:2113?tls=false' >urls/log
printf 'esdb://admin:%s@log1:2113,log2:2113,log3:2113?tls=true&tlsCAFile=/secrets/ca.crt' "$(cat log/admin-password)" \
  >urls/cluster-log

hand postgres/password postgres/password $POSTGRES_UID
hand files/access-key files/access-key $FILES_UID
hand files/secret-key files/secret-key $FILES_UID
for node in log1 log2 log3; do
  hand log/admin-password $node/admin-password $LOG_UID
  # The server trusts all certificates of a directory, so this one is alone in it.
  hand ca/ca.crt $node/ca/ca.crt $LOG_UID
  hand log/$node/node.crt $node/node.crt $LOG_UID
  hand log/$node/node.key $node/node.key $LOG_UID
done
for stack in service cluster; do
  for key in jwt-secret snapshot-key event-key link-key; do hand $stack/$key $stack/$key $SERVICE_UID; done
  hand files/access-key $stack/s3-access-key $SERVICE_UID
  hand files/secret-key $stack/s3-secret-key $SERVICE_UID
done
hand urls/database service/database-url $SERVICE_UID
hand urls/log service/log-url $SERVICE_UID
hand urls/cluster-database cluster/database-url $SERVICE_UID
hand urls/cluster-log cluster/log-url $SERVICE_UID
hand ca/ca.crt cluster/ca.crt $SERVICE_UID
hand seal/checkpoint-key seal/checkpoint-key $SERVICE_UID
hand seal/cluster-checkpoint-key seal-cluster/checkpoint-key $SERVICE_UID
for data in ${logs:+"$logs"/*}; do chown -R $LOG_UID:$LOG_UID "$data"; done
