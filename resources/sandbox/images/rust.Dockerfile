ARG BASE
FROM ${BASE}
# Debian 12's own compiler is of 2022 and refuses what people write now; its security archive has a current one, made
# for browsers. Where that archive is not to be had, the old one serves.
RUN mirror=$(sed -n 's/^\(deb\|URIs:\) *\(http[^ ]*\)\/debian\( .*\)\?$/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1) && \
    echo "deb $mirror/debian-security bookworm-security main" > /etc/apt/sources.list.d/newer.list && \
    { apt-get update -qq || { rm /etc/apt/sources.list.d/newer.list && apt-get update -qq; }; } && \
    export DEBIAN_FRONTEND=noninteractive && \
    { apt-get install -y -qq --no-install-recommends rustc-web gcc libc6-dev >/dev/null || \
      apt-get install -y -qq --no-install-recommends rustc gcc libc6-dev >/dev/null; } && \
    rm -rf /var/lib/apt/lists/*
