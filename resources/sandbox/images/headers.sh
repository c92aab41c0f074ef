# Headers for programs in C++: precompiled ones, and those by which tests name their library otherwise.
set -e
compile="g++ -std=c++17 -O0"
mkdir -p pch/bits pch/catch2 pch/doctest
$compile -x c++-header "$(find /usr/include -path '*bits/stdc++.h' | head -n 1)" -o pch/bits/stdc++.h.gch

# Version 2 of Catch, whose names stood in fewer namespaces.
cat > pch/annotator_catch.hpp <<'END'
#pragma once
#include <catch2/catch_all.hpp>
namespace Catch { using namespace Matchers; }
using Catch::Approx;
END
# Its implementation takes long to compile, so it is linked.
cat > pch/annotator_doctest.hpp <<'END'
#pragma once
#define DOCTEST_LIBRARY_IMPLEMENTATION
#include </usr/include/doctest/doctest.h>
END
printf '#pragma once\n#include <gtest/gtest.h>\n#include <gmock/gmock.h>\n' > pch/annotator_gtest.hpp
for name in catch.hpp catch_amalgamated.hpp catch2/catch.hpp catch2/catch_amalgamated.hpp; do
    echo '#include <annotator_catch.hpp>' > pch/$name
done
for name in doctest.h doctest/doctest.h; do echo '#include <annotator_doctest.hpp>' > pch/$name; done
printf '#define DOCTEST_CONFIG_IMPLEMENT\n#include </usr/include/doctest/doctest.h>\n' | $compile -x c++ -c - -o doctest.o

# The answer stands between a library and its tests: the library's macros are put aside for it and then brought back.
for name in catch doctest gtest; do
    # Of the macros of its own files, those that are not empty: these say that a file was read.
    $compile -dD -E pch/annotator_$name.hpp | awk '/^# [0-9]+ "/ { own = $3 ~ /\/(catch2|doctest|g(test|mock))\// }
        own && /^#define/ && NF > 2 { sub(/\(.*/, "", $2); print $2 }' | sort -u > macros
    sed 's/.*/#pragma push_macro("&")\n#undef &/' macros > pch/annotator_${name}_aside.hpp
    sed 's/.*/#undef &\n#pragma pop_macro("&")/' macros > pch/annotator_${name}_back.hpp
    $compile -x c++-header pch/annotator_$name.hpp -o pch/annotator_$name.hpp.gch
done
rm macros
