# The current Python, for what the usual one is too old for.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-pytest python3-coverage \
        python3-numpy python3-pandas python3-requests python3-openpyxl python3-xlsxwriter python3-tz \
        python3-hypothesis python3-gdbm >/dev/null && \
    rm -rf /var/lib/apt/lists/* && \
    mkdir -p /usr/lib/python3/dist-packages/yolk && touch /usr/lib/python3/dist-packages/yolk/__init__.py && \
    python3 -m compileall -q /usr/lib/python3 || true
