"""Ask language models: requests, answers, retries, prices and prompts; the only package that uses openai and httpx2."""

from annotator.llm.answers import Answer, parse_answer
from annotator.llm.cache import AnswerCache, CachedAsker, MemoryCache
from annotator.llm.client import Asker, Client, RetryPolicy
from annotator.llm.errors import EndpointStopError, RequestFailedError
from annotator.llm.limiter import Limiter
from annotator.llm.prices import (
    History,
    Price,
    PriceTable,
    count_tokens,
    estimate_tokens,
    parse_prices,
    summarise_history,
)
from annotator.llm.requests import Decoding, Endpoint, Message, Request, parse_decoding
from annotator.llm.suggest import Helper, Suggestion, ask
from annotator.llm.templates import Template, parse_template

__all__ = [
    "Answer",
    "AnswerCache",
    "Asker",
    "CachedAsker",
    "Client",
    "Decoding",
    "Endpoint",
    "EndpointStopError",
    "Helper",
    "History",
    "Limiter",
    "MemoryCache",
    "Message",
    "Price",
    "PriceTable",
    "Request",
    "RequestFailedError",
    "RetryPolicy",
    "Suggestion",
    "Template",
    "ask",
    "count_tokens",
    "estimate_tokens",
    "parse_answer",
    "parse_decoding",
    "parse_prices",
    "parse_template",
    "summarise_history",
]
