"""Pure functions on text and code: tokens, diffs, distances, syntax trees and highlighting."""
