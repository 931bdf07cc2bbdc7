#!/usr/bin/env bash
# A Ceph of one node (monitor, one OSD, S3 gateway) on the loopback interface.
#
#   ceph.sh up DIR PORT      makes DIR if needed and starts it; S3 on PORT, the monitor on PORT+1
#   ceph.sh gateway DIR      starts its S3 gateway again after it was ended
#   ceph.sh down DIR         kills everything; DIR can be deleted then
#
# Needs radosgw, ceph-mon, ceph-osd and ceph-common; not root. DIR/pids holds a process a line, the gateway's last.
# AK and SK are the keys of the user `slipway` that a new DIR gets.
set -u
command=$1 dir=$2
conf="$dir/ceph.conf"

ended() {
  local state
  state=$(awk '/^State/ { print $2 }' "/proc/$1/status" 2> /dev/null)
  [ -z "$state" ] || [ "$state" = Z ]
}

# wait_for TIMES SECONDS CONDITION...
wait_for() {
  local times=$1 pause=$2
  shift 2
  for _ in $(seq 1 "$times"); do
    "$@" && return
    sleep "$pause"
  done
  return 1
}

start() {
  local name=$1
  shift
  "$@" -c "$conf" -f > "$dir/log/$name.out" 2>&1 &
  echo $! >> "$dir/pids"
}

write_conf() {
  cat > "$conf" << CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$((port + 1))/0]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
keyring = $dir/keyring
run dir = $dir/run
admin socket = $dir/run/\$name.asok
log file = $dir/log/\$name.log
mon data = $dir/mon/\$id
osd data = $dir/osd/\$id
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail warn = 2
mon data avail crit = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = bluestore
bluestore block create = true
bluestore block size = 10737418240
osd memory target = 939524096
paxos propose interval = 0.05
paxos min wait = 0.02
objecter tick interval = 0.5
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw thread pool size = 64
rgw enable ops log = false
CONF
}

make_cluster() {
  write_conf
  local key="ceph-authtool $dir/keyring --gen-key -n"
  ceph-authtool --create-keyring "$dir/keyring" --gen-key -n mon. --cap mon 'allow *'
  $key client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
  $key osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
  $key client.rgw --cap mon 'allow rw' --cap osd 'allow rwx'
  monmaptool --create --fsid "$(awk '/^fsid/ { print $3 }' "$conf")" --addv a "[v2:127.0.0.1:$((port + 1))]" "$dir/monmap"
  ceph-mon --mkfs -i a --monmap "$dir/monmap" --keyring "$dir/keyring" -c "$conf"
}

make_osd() {
  local uuid
  uuid=$(cat /proc/sys/kernel/random/uuid)
  timeout 20 ceph -c "$conf" osd new "$uuid"
  timeout 60 ceph-osd -i 0 -c "$conf" --mkfs --osd-uuid "$uuid"
}

monitor_answers() { timeout 5 ceph -c "$conf" --connect-timeout 2 mon stat; }
osd_is_active() { timeout 5 ceph --admin-daemon "$dir/run/osd.0.asok" status | grep -q '"state": "active"'; }
gateway_listens() { (exec 3<> "/dev/tcp/127.0.0.1/$port"); }
all_ended() { for pid in $(cat "$dir/pids"); do ended "$pid" || return 1; done; }

start_gateway() {
  port=$(sed -n 's/^rgw frontends.*endpoint=127.0.0.1:\([0-9]*\).*/\1/p' "$conf")
  start gateway radosgw -n client.rgw
  wait_for 300 0.1 gateway_listens
}

case $command in
  up)
    port=$3
    mkdir -p "$dir"/{mon,osd/0,run,log}
    {
      : > "$dir/pids"
      new=
      [ -e "$dir/ready" ] || new=1
      [ -z "$new" ] || make_cluster || exit 1
      start monitor ceph-mon -i a
      wait_for 60 0.2 monitor_answers || exit 1
      [ -z "$new" ] || make_osd || exit 1
      start osd ceph-osd -i 0
      wait_for 150 0.1 osd_is_active || exit 1
      start_gateway || exit 1
      if [ -n "$new" ]; then
        timeout 60 radosgw-admin --admin-socket= -n client.rgw -c "$conf" \
          user create --uid=slipway --display-name=slipway --access-key="$AK" --secret-key="$SK" || exit 1
        touch "$dir/ready"
      fi
    } > "$dir/up.log" 2>&1
    ;;
  gateway)
    start_gateway > /dev/null 2>&1
    ;;
  down)
    for pid in $(cat "$dir/pids"); do kill -9 "$pid" 2> /dev/null; done
    wait_for 50 0.1 all_ended
    ;;
esac
