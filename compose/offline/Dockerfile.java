# Debian with a whole Java runtime: what the stand-ins of Java services are built on.
FROM debian:bookworm-slim
COPY jre/ /opt/java/
ENV PATH=/opt/java/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin JAVA_HOME=/opt/java
