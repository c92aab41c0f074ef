ARG BASE
FROM ${BASE}
RUN mkdir -p /usr/share/man/man1 && apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jdk-headless \
        junit4 junit5 libjacoco-java libassertj-core-java >/dev/null && \
    rm -rf /var/lib/apt/lists/*
COPY Guard.java /opt/annotator/
# Class-data archives halve the start of the compiler and of programs; they want classes in an archive, not a folder.
RUN cd /opt/annotator && javac -nowarn -d /tmp/guard Guard.java && jar -cf guard.jar -C /tmp/guard . && \
    printf 'import java.util.*; class Warm { public static void main(String[] a) { System.out.println(List.of(1, 2).stream().map(x -> x + 1).toList()); } }' > /tmp/Warm.java && \
    javac -J-XX:ArchiveClassesAtExit=/opt/annotator/javac.jsa -nowarn -proc:none -d /tmp/warm /tmp/Warm.java && \
    jar -cf /opt/annotator/warm.jar -C /tmp/warm . && \
    java -XX:ArchiveClassesAtExit=/opt/annotator/java.jsa -cp /opt/annotator/guard.jar:/opt/annotator/warm.jar Guard Warm 3</etc/hostname 4>/dev/null && \
    rm -rf /tmp/*
