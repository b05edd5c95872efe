#!/bin/sh
# Lays out what the images take: stripped programs, the shared libraries they need, a Java runtime, jars.
#
#   pack.sh TARGET OUT [TRIPLE]
#
# TARGET is where cargo built (TARGET/release, or TARGET/TRIPLE/release), OUT the folder that is made. Where a program was not
# built, the image that needs it can't be. Jars come from the folders of their projects, Flink's from FLINK_LIBS.
set -eu

target=$1 out=$2 triple=${3:-}
root=$(cd "$(dirname "$0")/.." && pwd)
built=$target${triple:+/$triple}/release
tools=${triple:+$(echo "$triple" | sed s/-unknown//)-}
case ${triple:-$(uname -m)} in
x86_64*) places="/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib64" loader=lib64/ld-linux-x86-64.so.2 libs=lib/x86_64-linux-gnu ;;
aarch64*) places="/usr/aarch64-linux-gnu/lib /lib/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu /lib" loader=lib/ld-linux-aarch64.so.1 libs=lib/aarch64-linux-gnu ;;
*)
    echo "pack.sh: ${triple:-$(uname -m)}: only 64-bit systems are served, linux/amd64 and linux/arm64" >&2
    exit 64
    ;;
esac

find_library() {
    for place in $places; do
        if [ -e "$place/$1" ]; then
            echo "$place/$1"
            return
        fi
    done
    echo "pack.sh: no $1 in $places" >&2
    exit 69
}

# The libraries of a file, and theirs, into a root file system.
add_libraries() {
    for name in $("${tools}readelf" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        # A Java runtime finds its own.
        [ -z "$(find "$out/jre" -name "$name" 2>/dev/null)" ] || continue
        case $name in
        ld-linux*) to=$2/$loader ;;
        *) to=$2/$libs/$name ;;
        esac
        if [ ! -e "$to" ]; then
            mkdir -p "$(dirname "$to")"
            cp -L "$(find_library "$name")" "$to"
            add_libraries "$to" "$2"
        fi
    done
}

rm -rf "$out"
mkdir -p "$out/bin" "$out/jars/flink" "$out/rootfs/etc/sluice" "$out/rootfs/tmp" "$out/rootfs-java" "$out/state"
for name in sluice sluice-edge sluice-replica sluice-controller sluice-wan; do
    if [ -e "$built/$name" ]; then
        "${tools}strip" -o "$out/bin/$name" "$built/$name"
        add_libraries "$out/bin/$name" "$out/rootfs"
    fi
done
# The loader is named by the programs themselves.
mkdir -p "$(dirname "$out/rootfs/$loader")"
cp -L "$(find_library "$(basename "$loader")")" "$out/rootfs/$loader"
echo 'sluice:x:10001:10001::/var/lib/sluice:/sbin/nologin' >"$out/rootfs/etc/passwd"
echo 'sluice:x:10001:' >"$out/rootfs/etc/group"
for service in edge replica controller; do
    echo '# Settings come from variables SLUICE_SECTION__KEY; a file in this place serves as well.' >"$out/rootfs/etc/sluice/$service.toml"
done
chmod 1777 "$out/rootfs/tmp"

for jar in rewriter/flink/host/target/sluice-host.jar rewriter/flink/target/sluice-flink.jar examples/q1/target/q1.jar; do
    [ ! -e "$root/$jar" ] || cp "$root/$jar" "$out/jars/"
done
[ -z "${FLINK_LIBS:-}" ] || cp "$FLINK_LIBS"/*.jar "$out/jars/flink/"

modules=java.base,java.desktop,java.logging,java.management,java.management.rmi,java.naming,java.net.http,java.rmi,java.scripting,java.security.jgss,java.security.sasl
modules=$modules,java.sql,java.xml,jdk.crypto.ec,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs
# Of java.desktop only the beans are used, by Flink; what draws and sounds stays out.
drawing='**/libawt*,**/libjawt*,**/libfontmanager*,**/libfreetype*,**/libharfbuzz*,**/liblcms*,**/libmlib_image*,**/libsplashscreen*'
drawing="$drawing,**/libjavajpeg*,**/libjsound*,**/psfont*"
# A Java runtime with the modules that functions of jobs are likely to use. It can only be made for the system that this runs on.
if [ -z "$triple" ]; then
    jlink --add-modules $modules \
        --strip-debug --no-header-files --no-man-pages --compress=2 --exclude-files="$drawing" --output "$out/jre"
    # What all programs share of its classes, prepared once.
    "$out/jre/bin/java" -Xshare:dump >"$out/classes.log" 2>&1 || { cat "$out/classes.log" >&2; exit 70; }
    rm "$out/classes.log"
    for file in "$out/jre/bin/java" "$out"/jre/lib/*.so "$out"/jre/lib/server/*.so; do
        add_libraries "$file" "$out/rootfs-java"
    done
    # Those that the programs bring too are there already.
    (cd "$out/rootfs-java" && find . -type f) | while read -r file; do
        [ ! -e "$out/rootfs/$file" ] || rm "$out/rootfs-java/$file"
    done
fi
