"""Names of models, of tools built on them, and of their makers, which would reveal a text's author to a blind rater.

Each list has one rule; `annotator.text.blinding.scrub` applies them. A new model is one word in one list.
"""

from __future__ import annotations

ALWAYS = (
    "01\\.ai", "abab", "ai21(?: labs)?", "alphacode", "anthropic", "auto-?gpt", "baichuan", "bigmodel", "bloomz",
    "bytedance", "chatglm", "chatgpt", "claude", "code[ _-]llama", "codegeex", "codegemma", "codellama", "codeqwen",
    "codestral", "codet5", "codewhisperer", "copilot", "davinci", "dbrx", "deepmind", "deepseek", "devstral",
    "dolphin-mixtral", "doubao", "eleutherai", "ernie[ _-]?bot", "exaone", "flan[ _-]?t5", "goliath", "google ai",
    "gpt", "gpt[ _-]?neox?", "granite[ _-]code", "hugging ?face", "hunyuan", "incoder", "inflection ai",
    "inflection pi", "instructgpt", "internlm", "internvl", "jurassic-?\\d", "kimi", "llama", "longcat", "magicoder",
    "magistral", "mathstral", "meta ai", "mi[sx]tral", "microsoft research", "minicpm", "minimax", "ministral",
    "moonshot ?ai", "moonshot", "mpt-\\d+b", "nemotron", "o[134]-(?:mini|pro|preview|high|low)", "octocoder",
    "octopack", "olmo", "openai", "openchat", "opencoder", "openhermes", "pangu", "phind", "pixtral", "polycoder",
    "qvq", "qwen", "qwq", "reka ai", "reka", "replit", "santacoder", "seed-?coder", "seed-?oss", "skywork", "smollm",
    "stability ai", "stablecode", "stablelm", "starchat", "starcoder", "tabnine", "telechat", "tulu", "wizardcoder",
    "wizardlm", "x-?ai", "xwin", "yi-(?:coder|lightning|large|\\d+b)", "z\\.ai", "zhipu", "通义(?:千问|灵码|听悟)?",
    "千问", "文心(?:一言|大模型|快码)?", "智谱(?:清言|ai)?", "清言", "豆包", "混元(?:大模型)?", "讯飞(?:星火)?",
    "星火(?:大模型|认知大模型)?", "百川(?:智能|大模型)?", "盘古(?:大模型)?", "日日新", "月之暗面", "深度求索",
    "零一万物", "书生[·・]?(?:浦语|万象)?", "面壁智能", "阶跃星辰", "海螺ai", "腾讯元宝", "悟道", "紫东太初",
    "360智脑", "阿里(?:巴巴|云)", "阿里", "百度", "腾讯", "字节跳动", "华为", "谷歌", "微软", "科大讯飞",
    "商汤(?:科技)?", "昆仑万维", "达摩院", "智源", "小米大模型", "亚马逊", "苹果公司", "英伟达", "讯飞",
    "天工(?:ai|大模型)", "克劳德",
)  # fmt: skip
"""Hidden in any case of letters: they are no ordinary words."""

CAPITALISED = (
    "Aider", "Alibaba", "Alpaca", "AlphaCode", "Amazon Nova", "Amazon Q", "Amazon", "Apple Intelligence", "Arctic",
    "Aya", "Baidu", "Bard", "Bedrock", "Bing", "BLOOM", "CodeGen", "Codex", "Cody", "Cohere", "Cursor AI", "DALL-E",
    "Databricks", "Devin", "Dolly", "Duet AI", "Ernie", "ERNIE", "Falcon LLM", "Gemini", "Gemma", "Google", "Granite",
    "Grok", "Haiku", "Hermes", "Huawei", "IBM", "iFlytek", "iFLYTEK", "Jamba", "Kuaishou", "Kwaipilot", "LaMDA",
    "LG AI", "Lingma", "Manus", "Meituan", "Microsoft", "MiMo", "Nvidia", "NVIDIA", "OPT", "Opus", "Orca", "PaLM",
    "Le Chat", "Perplexity", "Pi AI", "Poe", "Salesforce", "Samsung", "SenseNova", "SenseTime", "Sonnet", "Sora",
    "Spark Desk", "SparkDesk", "Tencent", "Tongyi", "Vicuna", "Wenxin", "Windsurf", "Xiaomi", "Yuanbao", "Zephyr",
)  # fmt: skip
"""Hidden with exactly these capitals, or in any case with a version on the same word."""

WITH_VERSION = (
    "command", "eagle", "falcon", "glm", "ling", "mercury", "nova", "palm", "phi", "ring", "rwkv", "seed", "solar",
    "spark", "step", "titan", "yi",
)  # fmt: skip
"""Hidden only with a version or variant on the same word: *phi-3*, *nova-large*; and *Command R*."""

BEHIND_BY = (
    "Adept", "Apple", "Inflection", "Meta", "Mosaic", "Reka", "Snowflake", "Stability", "Together", "Writer",
    "360公司", "上海人工智能实验室", "中国电信", "中国科学院", "京东", "北京大学", "复旦大学", "奇虎360",
    "小米", "快手", "清华大学", "网易(?:有道)?", "美团", "蚂蚁集团", "马斯克", "鹏城实验室",
)  # fmt: skip
"""Makers whose names occur in any text: hidden only after *by* and *from*, and after *由*, *来自* and *我是*."""

INTRODUCED = (
    "o[1-9]", "Falcon", "Mercury", "Nova", "Phi", "Solar", "Titan", "Yi", "书生", "云雀", "元宝", "双子座",
    "商量", "天工", "孟子", "悟空", "羊驼",
)  # fmt: skip
"""Names that are ordinary words: hidden only where a text says who it is (*I am Falcon*, *作为o1*)."""

VARIANTS = (
    "advanced", "chat", "code", "coder", "distill", "exp", "fast", "flash", "guard", "haiku", "instruct", "large",
    "lite", "maverick", "max", "medium", "mini", "nano", "nemo", "o[134]", "opus", "plus", "preview", "pro", "r\\+?",
    "scout", "small", "sonnet", "speciale", "thinking", "turbo", "ultra", "vision",
)  # fmt: skip
"""Variants that follow a name as a separate word: *Claude 3 Opus*, *Gemini Pro*."""

SELF = (
    r"as an? (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?",
    r"as a large language model",
    r"作为(?:一个|一名|一款)?(?:ai|人工智能)?(?:大?语言模型|助手|大模型)",
    r"作为(?:一个|一名|一款)?(?:ai|人工智能)(?:助手|模型)?",
)
"""Phrases with which models refer to themselves."""

__all__ = ["ALWAYS", "BEHIND_BY", "CAPITALISED", "INTRODUCED", "SELF", "VARIANTS", "WITH_VERSION"]
