ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc g++ libc6-dev mold libboost-dev catch2 libgtest-dev libgmock-dev doctest-dev >/dev/null && \
    rm -rf /var/lib/apt/lists/*
COPY headers.sh /opt/annotator/
RUN cd /opt/annotator && sh headers.sh && rm headers.sh
