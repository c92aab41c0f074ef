"""Models are asked here: the only place that knows the openai package."""

from annotator.llm.answers import Answer, parse_answer
from annotator.llm.cache import AnswerCache, CachedAsker, MemoryCache
from annotator.llm.client import Asker, Client
from annotator.llm.errors import EndpointStopError, RequestFailedError
from annotator.llm.limiter import Limiter
from annotator.llm.prices import History, Price, PriceTable, estimate_tokens, history_of, parse_prices, tokens_of
from annotator.llm.requests import Decoding, Endpoint, Message, Request, parse_decoding
from annotator.llm.retries import RetryPolicy
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
    "estimate_tokens",
    "history_of",
    "parse_answer",
    "parse_decoding",
    "parse_prices",
    "parse_template",
    "tokens_of",
]
