ARG BASE
FROM ${BASE}
RUN mkdir -p /usr/share/man/man1 && apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jdk-headless \
        junit4 junit5 libjacoco-java libassertj-core-java >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# The test libraries in one archive, which opens sooner than fifteen.
RUN mkdir -p /opt/annotator /tmp/libraries && cd /tmp/libraries && \
    for name in junit4 hamcrest junit-jupiter-api junit-jupiter-params junit-jupiter-engine junit-platform-commons \
        junit-platform-engine junit-platform-launcher opentest4j apiguardian-api univocity-parsers byte-buddy assertj-core; \
        do jar -xf /usr/share/java/$name.jar; done && \
    rm -rf META-INF module-info.class && jar -c0f /opt/annotator/libraries.jar . && rm -rf /tmp/*
COPY Guard.java Tests.java JUnit.java Compile.java Warm.java /opt/annotator/
# Class-data archives halve the start of the compiler and of programs; they want classes in an archive, not a folder.
RUN cd /opt/annotator && javac -nowarn -proc:none -cp libraries.jar -d /tmp/guard *.java && \
    jar -cf guard.jar -C /tmp/guard . && cd /tmp && cp /opt/annotator/Warm.java Main.java && \
    at=/opt/annotator && flags="-Xlog:disable -ea -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData" && \
    java $flags -XX:ArchiveClassesAtExit=$at/javac.jsa -cp $at/guard.jar annotator.Compile -nowarn -proc:none -d /tmp/warm -cp $at/guard.jar:$at/libraries.jar Main.java '' && \
    java $flags -XX:ArchiveClassesAtExit=$at/java.jsa -cp $at/guard.jar annotator.Guard annotator.Warm 3</etc/hostname 4>/dev/null && \
    java $flags -XX:ArchiveClassesAtExit=$at/tests.jsa -cp $at/guard.jar:$at/libraries.jar annotator.Guard 'annotator.Warm$Tests' 3</etc/hostname 4>/dev/null && \
    rm -rf /tmp/*
