#!/bin/sh
# Process 1 of Debian's user-mode kernel: mounts what cases need, runs the script $CMD, writes to $OUT, powers off.
# The root is the host's file system (hostfs), so /tmp becomes memory of the guest's own; folders of the host below
# /tmp that the script needs are named in $BIND (comma-separated, relative to /tmp) and put back.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p /dev/shm /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t devpts devpts /dev/pts
ip link set lo up
exec 3>"$OUT/console"
mount --bind /tmp /mnt
mount -t tmpfs -o mode=1777 tmp /tmp
for folder in $(echo "$BIND" | tr , ' '); do
    mkdir -p "/tmp/$folder"
    mount --bind "/mnt/$folder" "/tmp/$folder"
done
umount /mnt
sh /proc/self/fd/9 9<"$CMD" </dev/null >&3 2>&3
echo $? >"$OUT/status"
sync
# o powers off; the kernel's own reboot would start again for ever
echo o >/proc/sysrq-trigger
while :; do read -r _ </proc/self/fd/8 8<"$OUT/status"; done
