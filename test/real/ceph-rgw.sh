#!/usr/bin/env bash
# Runs the suites of files and of checkpoints on a real S3 server: Ceph's RADOS Gateway. Debian's packages (70 MB, downloaded once)
# are unpacked into a cache and not installed; nothing needs root. One monitor, one storage daemon and the gateway run
# on loopback, keep their data in memory and end with the suite.
# Needs: apt with package lists that hold radosgw (Debian 12), dpkg-deb, python3, curl, node.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=node_modules/.cache/ceph-rgw
root=$PWD/$cache/root
data=$(mktemp -d)
started=()

stop() {
  local index
  for ((index = ${#started[@]} - 1; index >= 0; index--)); do kill "${started[index]}" 2>/dev/null || true; done
  wait
  rm -rf "$data"
}
trap stop EXIT
trap 'exit 130' INT TERM

fail() {
  printf '%s\n' "$*" >&2
  tail -qn 5 "$data"/*.out >&2 2>/dev/null || true
  exit 1
}

# The packages that this machine lacks of those the gateway needs.
missing_packages() {
  apt-get install --print-uris --no-install-recommends -qq -y radosgw ceph-mon ceph-osd ceph-common |
    sed -nE "s/^'[^']+' ([^_]+)_.*$/\1/p"
}

unpack() {
  local packages package
  [ ! -e "$cache/complete" ] || return 0
  rm -rf "$cache"
  mkdir -p "$cache/packages" "$root"
  mapfile -t packages < <(missing_packages)
  [ "${#packages[@]}" -gt 0 ] || fail 'apt knows no package radosgw: is this Debian 12, and was apt-get update run?'
  (cd "$cache/packages" && apt-get download -qq "${packages[@]}")
  for package in "$cache"/packages/*.deb; do dpkg-deb --extract "$package" "$root"; done
  rm -r "$cache/packages"
  touch "$cache/complete"
}

free_port() {
  node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(server.address().port);
    server.close();
  });'
}

configure() {
  libraries=$(dirname "$(find "$root/usr/lib" -path '*/ceph/erasure-code' -type d)")
  libraries=${libraries%/ceph}
  export LD_LIBRARY_PATH=$libraries:$libraries/ceph:${libraries/#"$root/usr"/"$root"}
  export PYTHONPATH=$root/usr/lib/python3/dist-packages
  export PATH=$root/usr/bin:$PATH
  export CEPH_CONF=$data/ceph.conf
  fsid=$(cat /proc/sys/kernel/random/uuid)
  monitor=127.0.0.1:$(free_port)
  gateway=127.0.0.1:$(free_port)
  mkdir "$data/mon" "$data/osd" "$data/rgw" "$data/run"
  cat >"$CEPH_CONF" <<CONF
[global]
fsid = $fsid
mon initial members = a
mon host = [v1:$monitor]
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
auth cluster required = none
auth service required = none
auth client required = none
ms bind msgr2 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail crit = 1
mon data avail warn = 1
mon data = $data/mon
osd data = $data/osd
run dir = $data/run
admin socket = $data/run/\$name.\$pid.asok
pid file = $data/run/\$name.pid
log file = $data/\$name.log
erasure code dir = $libraries/ceph/erasure-code
plugin dir = $libraries/ceph
osd class dir = $libraries/rados-classes
[client.rgw]
rgw frontends = beast endpoint=$gateway
rgw data = $data/rgw
CONF
}

# daemon <name> <command...>: in the background, ended with the script.
daemon() {
  local name=$1
  shift
  "$@" >"$data/$name.out" 2>&1 &
  started+=("$!")
}

# within <seconds> <what> <command...>: repeats the command until it succeeds.
within() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >"$data/attempt.out" 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || fail "$what did not come up"
    sleep 0.2
  done
}

start_monitor() {
  monmaptool --create --addv a "[v1:$monitor]" --fsid "$fsid" "$data/monmap" >"$data/monmap.out"
  ceph-mon --mkfs -i a --monmap "$data/monmap" >"$data/mon-mkfs.out" 2>&1
  daemon mon ceph-mon -i a -f
  within 30 'the monitor' timeout 5 python3 "$root/usr/bin/ceph" osd ls
}

start_storage() {
  local id
  id=$(cat /proc/sys/kernel/random/uuid)
  timeout 30 python3 "$root/usr/bin/ceph" osd new "$id" >"$data/osd-new.out" 2>&1
  ceph-osd -i 0 --mkfs --osd-uuid "$id" >"$data/osd-mkfs.out" 2>&1
  daemon osd ceph-osd -i 0 -f
  within 30 'the storage daemon' sh -c "timeout 5 python3 '$root/usr/bin/ceph' osd stat | grep -q '1 up'"
}

start_gateway() {
  daemon rgw radosgw -n client.rgw -f
  within 120 'the gateway' curl -sf -o /dev/null "http://$gateway/"
  timeout 60 radosgw-admin user create --uid=files --display-name=files \
    --access-key=files-access --secret-key=files-secret >"$data/user.out" 2>&1 || fail 'no user could be made'
}

unpack
configure
start_monitor
start_storage
start_gateway
printf 'Ceph %s answers\n' "$(radosgw --version | sed -nE 's/^ceph version ([^ ]+).*/\1/p')"
# the suite alone: the libraries of the gateway are not for it
env -u LD_LIBRARY_PATH -u PYTHONPATH S3_ENDPOINT="http://$gateway" S3_BUCKET=files S3_ACCESS_KEY=files-access \
  S3_SECRET_KEY=files-secret npx mocha test/infrastructure/s3/{object-storage,checkpoint-archive}.integration.test.ts \
  --grep 'S3 at' "$@"
