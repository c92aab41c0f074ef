# Started without R's default packages, which take most of the time that R needs to start. They are attached, as always,
# unless the program can do without: no word of it, not even in a text or comment, is anything they hold, and it neither
# computes names nor asks what is attached. Then the guard runs the program (arguments: the program, the guard).
local({
  packages <- c("datasets", "utils", "grDevices", "graphics", "stats", "methods")
  asking <- c(
    "library", "require", "requireNamespace", "loadNamespace", "attachNamespace",
    "loadedNamespaces", "asNamespace", "getNamespace", "attach", "detach", "search", "searchpaths",
    "as.environment", "parent.env", "pos.to.env", "get", "get0", "mget", "exists", "dynGet", "eval",
    "evalq", "eval.parent", "parse", "str2lang", "str2expression", "match.fun", "do.call",
    "as.name", "as.symbol", "as.call", "call", "as.function", "source", "sys.source", "load",
    "readRDS", "unserialize", "environment", "topenv", "globalenv", "sys.function", "sys.call",
    "sys.calls", "sys.frames", "sys.nframe", "parent.frame", ".packages", "options", "getOption",
    "Sys.getenv", "methods", "UseMethod", "NextMethod", "commandArgs", "R.Version", "setHook",
    "isVirtualClass", "isS4"
  )
  held <- function(package) {
    part <- if (package == "datasets") "data/Rdata" else file.path("R", package)
    names(readRDS(file.path(R.home("library"), package, paste0(part, ".rdx")))$variables)
  }
  alone <- tryCatch({
    lines <- readLines(commandArgs(trailingOnly = TRUE)[[1]], warn = FALSE)
    lines <- sub("^\\s*library\\(assert\\)\\s*$", "", lines)
    words <- unique(unlist(regmatches(lines, gregexpr("[[:alpha:].][[:alnum:]._]*", lines))))
    !any(grepl("[~@\\\\]|:::?", lines)) && !any(words %in% c(asking, packages)) &&
      !any(vapply(packages, function(package) any(words %in% held(package)), NA))
  }, error = function(problem) FALSE)
  Sys.unsetenv("R_DEFAULT_PACKAGES")
  options(defaultPackages = packages)
  if (!isTRUE(alone)) {
    .OptRequireMethods()
    .First.sys()
  }
})
eval(parse(commandArgs(trailingOnly = TRUE)[[2]], keep.source = FALSE), globalenv())
