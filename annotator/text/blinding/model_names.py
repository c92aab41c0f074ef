"""Names of models, their makers and tools, which would reveal a text's author to a blind rater.

Each list has one rule; `annotator.text.blinding.scrub` applies them. A new model is one word in one list.
"""

from __future__ import annotations

ALWAYS = (
    "(?:code|text)(?:chat)?-(?:bison|gecko|unicorn)", "(?:open)?pangu", "01\\.ai", "360智脑", "a\\.x[- ]\\d", "abab",
    "ai21(?: labs)?", "aixcoder", "aleph alpha", "allen ?ai", "alphacode", "anthropic", "apertus", "arcee",
    "athene-v\\d", "augment code", "auto-?gpt", "baichuan", "bigcode", "bigmodel", "bigscience", "bloomz", "bolt\\.new",
    "bytedance", "c4ai", "chatglm", "chatgpt", "claude", "code[ _-]llama", "codebuddy", "codegeex", "codegemma",
    "codeium", "codellama", "codeparrot", "codeqwen", "codestral", "codet5", "codewhisperer", "cogito[- ]v", "comate",
    "copilot", "davinci", "dbrx", "deepcogito", "deepmind", "deepscaler", "deepseek", "deepswe", "devstral",
    "diffucoder", "dolphin-mixtral", "dots\\.(?:llm|vlm)", "doubao", "eleutherai", "ernie[ _-]?bot", "eurollm",
    "exaone", "fastchat", "flan[ _-]?t5", "gigachat", "goliath", "google ai", "gpt", "gpt[ _-]?neox?",
    "granite[ _-]code", "guanaco-", "h2o\\.ai", "h2ogpt", "hugging ?face", "hunyuan", "hyperclova", "inception labs",
    "inclusionai", "incoder", "inflection ai", "inflection pi", "instructgpt", "intellect-\\d", "intern-s\\d",
    "internlm", "internvl", "jais-", "jetbrains ai", "jurassic-?\\d", "k2(?:\\.\\d|[- ]thinking|[- ]instruct)",
    "k2-think", "kanana", "kat-(?:coder|dev)", "kimi", "krutrim", "lfm\\d", "liquid ?ai", "llama", "lmsys", "longcat",
    "luminous-", "magicoder", "magistral", "mai-(?:ds|\\d)", "marco-o\\d", "marscode", "mathstral", "megrez", "mellum",
    "mercury coder", "meta ai", "mi[sx]tral(?: ?ai)?", "microsoft research", "minicpm", "minimax", "ministral", "molmo",
    "moonshot(?: ?ai)?", "moss大模型", "mpt-\\d+b", "nanbeige", "nemotron", "nexusflow", "nous ?research", "nous-",
    "o[134]-(?:mini|pro|preview|high|low)", "oasst", "octocoder", "octopack", "olmo", "open ?assistant", "open-?r1",
    "openai", "openchat", "opencodeinterpreter", "opencoder", "openhermes", "openorca", "openthinker", "palmyra",
    "pharia", "phind", "pixtral", "plamo", "platypus2", "polycoder", "poolside ai", "prime intellect", "qoder", "qodo",
    "qvq", "qwen", "qwq", "rakuten ?ai", "raptor mini", "reka", "reka ai", "replit", "rinna", "rnj-\\d", "roo ?code",
    "sakana ai", "salamandra", "santacoder", "sarvam", "seed-?coder", "seed-?oss", "sensechat", "sensenova",
    "sk telecom", "sky-t1", "skywork", "smollm", "sonar-(?:pro|reasoning|deep)", "sourcegraph", "stability ai",
    "stable code", "stablecode", "stablelm", "starchat", "starcoder", "starling-lm", "stepfun",
    "swe-(?:1|agent|dev|llama|grep)", "tabnine", "telechat", "teuken", "tigerbot", "together ai",
    "trinity-(?:mini|nano|large)", "tulu", "ui-tars", "whiterabbitneo", "wizardcoder", "wizardlm", "x-?ai", "xgen",
    "xverse", "xwin", "yandex ?gpt", "yi-(?:coder|lightning|large|\\d+b)", "z\\.ai", "zamba", "zed zeta", "zhipu",
    "书生[·・]?(?:浦语|万象)", "亚马逊", "元象", "克劳德", "千问", "华为", "商汤(?:科技)?", "天工(?:ai|大模型)",
    "字节跳动", "小爱同学", "小米大模型", "小钢炮", "序列猴子", "必应", "微软", "悟道", "文心(?:一言|大模型|快码)?",
    "日日新", "昆仑(?:万维|天工)", "星火(?:大模型|认知大模型)?", "智源", "智谱(?:清言|ai)?", "月之暗面", "海螺ai",
    "深度求索", "混元(?:大模型)?", "清言", "百川(?:智能|大模型)?", "百度", "盘古(?:大模型)?", "科大讯飞", "秘塔",
    "稀宇(?:科技)?", "紫东太初", "腾讯", "腾讯元宝", "英伟达", "苹果公司", "言犀", "讯飞", "讯飞(?:星火)?", "谷歌",
    "豆包", "跃问", "达摩院", "通义(?:千问|灵码|听悟)?", "阶跃星辰", "阿里", "阿里(?:巴巴|云)", "零一万物", "面壁智能",
)  # fmt: skip
"""Hidden in upper or lower case, because they are not ordinary words."""

CAPITALISED = (
    "Aider", "Alibaba", "Alpaca", "AlphaCode", "Amazon", "Amazon Nova", "Amazon Titan", "Amazon Q", "Antigravity",
    "Apple Intelligence", "Aquila", "Arctic", "Aya", "Baidu", "Bard", "Bedrock", "Bing", "BLOOM", "CodeGen", "Codex",
    "Cody", "Cognition AI", "Cohere", "Cursor AI", "DALL-E", "Databricks", "Devin", "Dolly", "Duet AI", "ERNIE",
    "Ernie", "Falcon LLM", "Gemini", "Gemma", "Google", "Granite", "Grok", "Guanaco", "Haiku", "Hermes", "Huawei",
    "IBM", "iFLYTEK", "iFlytek", "Jais", "Jamba", "Junie", "Kiro", "Kuaishou", "Kwaipilot", "LaMDA", "Le Chat", "LG AI",
    "Lingma", "Manus", "Meituan", "Microsoft", "MiMo", "MOSS", "NVIDIA", "Nvidia", "OpenOrca", "Opus", "Orca", "PaLM",
    "Perplexity", "Perplexity Sonar", "Pi AI", "Poe", "Poolside", "Pythia", "Salesforce", "Samsung", "SenseTime",
    "Sonnet", "Sora", "Spark Desk", "SparkDesk", "Tencent", "TigerBot", "Tongyi", "Trae", "Upstage", "Vicuna", "Wenxin",
    "Windsurf", "Writer AI", "Xiaomi", "Yuanbao", "Zephyr",
)  # fmt: skip
"""Hidden with exactly these capitals, or in upper or lower case if the word has a version."""

WITH_VERSION = (
    "command", "eagle", "falcon", "glm", "inflection", "ling", "mercury", "nova", "opt", "palm", "phi", "ring", "rwkv",
    "seed", "solar", "spark", "step", "titan", "yi",
)  # fmt: skip
"""Hidden only if the word has a version or variant: *phi-3*, *nova-large*; and *Command R*."""

BEHIND_BY = (
    "360公司", "Adept", "Amp", "Apple", "Cline", "Cognition", "Cursor", "Inception", "Inflection", "JetBrains",
    "Liquid", "Meta", "Mosaic", "Reka", "Snowflake", "Stability", "TII", "Together", "Writer", "上海人工智能实验室",
    "中国电信", "中国科学院", "京东", "北京大学", "复旦大学", "奇虎360", "小米", "小红书", "快手", "清华大学",
    "网易(?:有道)?", "美团", "蚂蚁集团", "马斯克", "鹏城实验室",
)  # fmt: skip
"""Makers with common names: hidden only after *by* and *from*, and after *由*, *来自* and *我是*."""

INTRODUCED = (
    "书生", "云雀", "元宝", "双子座", "商量", "天工", "太极", "子曰", "孟子", "快意", "悟空", "星辰", "曹植", "灵医",
    "百灵", "羊驼", "蚂蚁百灵", "雅意", "龙猫",
)  # fmt: skip
"""Names that are ordinary words: hidden only in self-introductions (*我是书生*) and before *模型*."""

VARIANTS = (
    "advanced", "chat", "code", "coder", "distill", "exp", "fast", "flash", "guard", "haiku", "instruct", "large",
    "lite", "maverick", "max", "medium", "mini", "nano", "nemo", "o[134]", "opus", "plus", "premier", "preview", "pro",
    "r\\+?", "reasoner", "reasoning", "scout", "small", "sonnet", "speciale", "thinking", "turbo", "ultra", "vision",
)  # fmt: skip
"""Variants that follow a name as a separate word: *Claude 3 Opus*, *Gemini Pro*."""

SELF = (
    r"as an? (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?",
    r"as a large language model",
    r"作为(?:一个|一名|一款)?(?:ai|人工智能)?(?:大?语言模型|助手|大模型)",
    r"作为(?:一个|一名|一款)?(?:ai|人工智能)(?:助手|模型)?",
)
"""Phrases with which models refer to themselves."""

EDITIONS = ("flash", "lite", "micro", "premier", "pro", "turbo", "ultra")
"""Variants that are separate capitalised words after names that are ordinary words: *Solar Pro*, *Nova Lite*."""

__all__ = ["ALWAYS", "BEHIND_BY", "CAPITALISED", "EDITIONS", "INTRODUCED", "SELF", "VARIANTS", "WITH_VERSION"]
