# What every sandbox image shares: Debian with Python, without documentation.
ARG BASE=debian:13-slim
FROM ${BASE}
RUN printf '%s\n' 'force-unsafe-io' 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' 'path-exclude=/usr/share/locale/*' \
        'path-exclude=/usr/share/info/*' > /etc/dpkg/dpkg.cfg.d/annotator && \
    apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 libseccomp2 procps >/dev/null && \
    rm -rf /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/* /usr/share/locale/* && \
    useradd --no-create-home --uid 999 nobody-here
