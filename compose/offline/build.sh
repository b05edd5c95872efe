#!/bin/sh
# Builds the stand-ins of compose/offline from packages, without pulling anything.
#
#   BASE=ROOTFS.tar KAFKA_LIBS=DIR FLINK_LIBS=DIR APICURIO=DIR build.sh
#
# BASE is a Debian bookworm root file system, FLINK_LIBS the jars of a Flink cluster. Prometheus and mosquitto are those of this machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
    DOCKER_BUILDKIT=0 docker build --force-rm --tag "sluice-offline/$1" --file "$here/Dockerfile.$1" "$work/$1" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 70
    }
}

docker import "$BASE" debian:bookworm-slim

mkdir -p "$work/java" "$work/kafka" "$work/apicurio" "$work/flink/prometheus" "$work/prometheus" "$work/mosquitto/rootfs"
jlink --add-modules ALL-MODULE-PATH --strip-debug --no-header-files --no-man-pages --compress=2 --output "$work/java/jre"
"$work/java/jre/bin/java" -Xshare:dump >"$work/classes.log" 2>&1 || { cat "$work/classes.log" >&2; exit 70; }
build java

cp -r "$KAFKA_LIBS" "$work/kafka/libs"
cp "$here/kafka-run" "$here/kafka-tool" "$here/log4j2.properties" "$work/kafka/"
build kafka

cp -r "$APICURIO" "$work/apicurio/apicurio"
build apicurio

cp -r "$FLINK_LIBS" "$work/flink/libs"
mv "$work"/flink/libs/flink-metrics-prometheus-*.jar "$work/flink/prometheus/"
cp "$here/flink-run" "$here/log4j2.properties" "$work/flink/"
build flink

cp "$(command -v prometheus)" "$work/prometheus/prometheus"
build prometheus

for program in "$(command -v mosquitto)" "$(command -v mosquitto_pub)" "$(command -v mosquitto_sub)"; do
    for file in "$program" $(ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'); do
        # What the base has already stays as it is there.
        case $(basename "$file") in
        libc.so* | ld-linux* | libm.so* | libdl.so* | libpthread.so* | libresolv.so*) continue ;;
        esac
        install -D "$file" "$work/mosquitto/rootfs$(readlink -f "$(dirname "$file")")/$(basename "$file")"
    done
done
build mosquitto
