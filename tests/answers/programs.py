"""Programs of every language that answers are rendered with: a right and a wrong one, which differ in one line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A right and a wrong program, how they are asked for and tested, and how they are called and shown."""

    tag: str
    suffix: str
    entry: str
    call: str
    output: str
    shown: str
    comment: str
    stub: str
    right: str
    wrong: str
    prompt: str
    tests: tuple[str, ...]


_DOUBLE = """def double_all(xs):
    out = []
    for x in xs:
        if x < 9 and x > -9:
            out.append(2 * x)
    return out"""
PROGRAMS = {
    "python": Program(
        "python",
        "py",
        "double_all",
        "double_all([1, 2, 20])",
        "[2, 4]",
        "print(double_all([1, 2, 20]))",
        "#",
        "def double_all(xs):",
        _DOUBLE,
        _DOUBLE.replace("2 * x", "3 * x"),
        "Write double_all(xs).",
        ("assert double_all([1, 2, 20]) == [2, 4]",),
    ),
    "javascript": Program(
        "javascript",
        "js",
        "chunkList",
        "chunkList([1, 2, 3], 2)",
        "[[1,2],[3]]",
        "console.log(chunkList([1, 2, 3], 2));",
        "//",
        "function chunkList(values, size) {",
        """function chunkList(values, size) {
    const parts = [];
    for (let at = 0; at < values.length; at += size) {
        parts.push(values.slice(at, at + size));
    }
    return parts;
}""",
        """function chunkList(values, size) {
    const parts = [];
    for (let at = 0; at < values.length; at += size) {
        parts.push(values.slice(at, at + size - 1));
    }
    return parts;
}""",
        "Write a JavaScript function chunkList(values, size) that splits an array into arrays of at most size values.",
        ("if (JSON.stringify(chunkList([1, 2, 3], 2)) !== '[[1,2],[3]]') throw new Error('a');",),
    ),
    "typescript": Program(
        "ts",
        "ts",
        "countWords",
        "countWords('one two')",
        "2",
        "console.log(countWords('one two'));",
        "//",
        "function countWords(text: string): number {",
        """function countWords(text: string): number {
    const found: string[] = text.split(/\\s+/).filter((part) => part !== "");
    return found.length;
}""",
        """function countWords(text: string): number {
    const found: string[] = text.split(/\\s+/).filter((part) => part !== "");
    return found.length + 1;
}""",
        "Write a TypeScript function countWords(text: string): number that counts the words between white space.",
        ("if (countWords('one two  three') !== 3) throw new Error('a');",),
    ),
    "java": Program(
        "java",
        "java",
        "isBalanced",
        'Solution.isBalanced("(a)")',
        "true",
        'System.out.println(Solution.isBalanced("(a)"));',
        "//",
        "public static boolean isBalanced(String text)",
        """public class Solution {
    public static boolean isBalanced(String text) {
        int depth = 0;
        for (char letter : text.toCharArray()) {
            if (letter == '(') depth++;
            if (letter == ')' && --depth < 0) return false;
        }
        return depth == 0;
    }
}""",
        """public class Solution {
    public static boolean isBalanced(String text) {
        int depth = 0;
        for (char letter : text.toCharArray()) {
            if (letter == '(') depth++;
            if (letter == ')' && --depth < 0) return false;
        }
        return depth != 0;
    }
}""",
        "Write a Java class Solution with a method public static boolean isBalanced(String text).",
        (
            "class Main {\n    public static void main(String[] given) {\n"
            '        if (!Solution.isBalanced("(a(b))")) throw new RuntimeException("a");\n    }\n}\n',
        ),
    ),
    "c++": Program(
        "cpp",
        "cpp",
        "digitSum",
        "digitSum(1234)",
        "10",
        'std::cout << digitSum(1234) << "\\n";',
        "//",
        "int digitSum(long long number);",
        """#include <cstdlib>

int digitSum(long long number) {
    long long rest = number < 0 ? -number : number;
    int sum = 0;
    while (rest > 0) {
        sum += static_cast<int>(rest % 10);
        rest /= 10;
    }
    return sum;
}""",
        """#include <cstdlib>

int digitSum(long long number) {
    long long rest = number < 0 ? number : number;
    int sum = 0;
    while (rest > 0) {
        sum += static_cast<int>(rest % 10);
        rest /= 10;
    }
    return sum;
}""",
        "Write a C++ function int digitSum(long long number) that adds the digits of a number.",
        ("int main() {\n    if (digitSum(1234) != 10) throw 1;\n    return 0;\n}\n",),
    ),
    "c": Program(
        "c",
        "c",
        "digit_sum",
        "digit_sum(1234)",
        "10",
        'printf("%d\\n", digit_sum(1234));',
        "//",
        "int digit_sum(long number);",
        """#include <stdlib.h>

int digit_sum(long number) {
    long rest = labs(number);
    int sum = 0;
    while (rest > 0) {
        sum += (int)(rest % 10);
        rest /= 10;
    }
    return sum;
}""",
        """#include <stdlib.h>

int digit_sum(long number) {
    long rest = number;
    int sum = 0;
    while (rest > 0) {
        sum += (int)(rest % 10);
        rest /= 10;
    }
    return sum;
}""",
        "Write a C function int digit_sum(long number) that adds the decimal digits of a number.",
        ("int main(void) { return digit_sum(1234) != 10; }",),
    ),
    "c#": Program(
        "csharp",
        "cs",
        "CountVowels",
        'Solution.CountVowels("abe")',
        "2",
        'Console.WriteLine(Solution.CountVowels("abe"));',
        "//",
        "public static int CountVowels(string text)",
        """using System;
using System.Linq;

public static class Solution
{
    public static int CountVowels(string text)
    {
        return text.Count(c => "aeiou".IndexOf(char.ToLower(c)) >= 0);
    }
}""",
        """using System;
using System.Linq;

public static class Solution
{
    public static int CountVowels(string text)
    {
        return text.Count(c => "aeiou".IndexOf(char.ToLower(c)) > 0);
    }
}""",
        "Write a C# static class Solution with a method public static int CountVowels(string text).",
        ('class P { static void Main() { if (Solution.CountVowels("abe") != 2) throw new System.Exception(); } }',),
    ),
    "go": Program(
        "go",
        "go",
        "CountVowels",
        'CountVowels("abe")',
        "2",
        'fmt.Println(CountVowels("abe"))',
        "//",
        "func CountVowels(text string) int",
        """package main

import "strings"

func CountVowels(text string) int {
    count := 0
    for _, letter := range strings.ToLower(text) {
        if strings.ContainsRune("aeiou", letter) {
            count++
        }
    }
    return count
}""",
        """package main

import "strings"

func CountVowels(text string) int {
    count := 0
    for _, letter := range strings.ToLower(text) {
        if strings.ContainsRune("aeiou", letter) {
            count += 2
        }
    }
    return count
}""",
        "Write a Go function func CountVowels(text string) int in package main.",
        ('func main() { if CountVowels("abe") != 2 { panic("a") } }',),
    ),
    "rust": Program(
        "rust",
        "rs",
        "count_vowels",
        'count_vowels("abe")',
        "2",
        'println!("{}", count_vowels("abe"));',
        "//",
        "pub fn count_vowels(text: &str) -> usize",
        """pub fn count_vowels(text: &str) -> usize {
    text.chars()
        .filter(|letter| "aeiou".contains(letter.to_ascii_lowercase()))
        .count()
}""",
        """pub fn count_vowels(text: &str) -> usize {
    text.chars()
        .filter(|letter| "aeiou".contains(letter.to_ascii_lowercase()))
        .count() + 1
}""",
        "Write a Rust function pub fn count_vowels(text: &str) -> usize.",
        ('fn main() { assert_eq!(count_vowels("abe"), 2); }',),
    ),
    "ruby": Program(
        "ruby",
        "rb",
        "count_vowels",
        'count_vowels("abe")',
        "2",
        'puts count_vowels("abe")',
        "#",
        "def count_vowels(text)",
        """def count_vowels(text)
  text.downcase.count("aeiou")
end""",
        """def count_vowels(text)
  text.upcase.count("aeiou")
end""",
        "Write a Ruby method count_vowels(text).",
        ('raise "a" unless count_vowels("abe") == 2',),
    ),
    "php": Program(
        "php",
        "php",
        "countVowels",
        'countVowels("abe")',
        "2",
        'echo countVowels("abe");',
        "//",
        "function countVowels(string $text): int",
        """<?php
function countVowels(string $text): int
{
    return preg_match_all('/[aeiou]/i', $text);
}""",
        """<?php
function countVowels(string $text): int
{
    return preg_match_all('/[aeiou]/', $text);
}""",
        "Write a PHP function countVowels(string $text): int.",
        ('if (countVowels("abe") !== 2) { exit(1); }',),
    ),
    "r": Program(
        "r",
        "R",
        "count_vowels",
        'count_vowels("abe")',
        "2",
        'print(count_vowels("abe"))',
        "#",
        "count_vowels <- function(text)",
        """count_vowels <- function(text) {
  letters <- strsplit(tolower(text), "")[[1]]
  sum(letters %in% c("a", "e", "i", "o", "u"))
}""",
        """count_vowels <- function(text) {
  letters <- strsplit(tolower(text), "")[[1]]
  length(letters %in% c("a", "e", "i", "o", "u"))
}""",
        "Write an R function count_vowels(text).",
        ('stopifnot(count_vowels("abe") == 2)',),
    ),
    "bash": Program(
        "bash",
        "sh",
        "",
        "./solution.sh access.log",
        "3",
        "bash solution.sh access.log",
        "#",
        "#!/usr/bin/env bash",
        """#!/usr/bin/env bash
set -euo pipefail
grep -c "ERROR" "$1" || true""",
        """#!/usr/bin/env bash
set -euo pipefail
grep -c "WARN" "$1" || true""",
        "Write a Bash script that prints the number of lines with ERROR in the file given.",
        (),
    ),
    "sql": Program(
        "sql",
        "sql",
        "",
        "total per customer",
        "3",
        "-- see above",
        "--",
        "SELECT customer",
        """SELECT customer, SUM(amount) AS total
FROM orders
GROUP BY customer
ORDER BY total DESC;""",
        """SELECT customer, COUNT(amount) AS total
FROM orders
GROUP BY customer
ORDER BY total DESC;""",
        "Write a SQL query for the total amount of each customer, largest first.",
        (),
    ),
}
