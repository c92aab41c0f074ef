"""Names of models, their makers and tools, which would reveal a text's author to a blind rater.

Each list has one rule; `annotator.text.blinding.scrub` applies them. A new model is one word in one list.
"""

from __future__ import annotations

ALWAYS = (
    "(?:code|text)(?:chat)?-(?:bison|gecko|unicorn)", "(?:open)?pangu", "01\\.ai", "360智脑", "a\\.x[- ]\\d",
    "abab", "agentcoder", "ai21(?: labs)?", "aider", "aixcoder", "aleph alpha", "alibaba", "alibaba cloud",
    "allen(?: ?ai| institute for ai)", "alphacode", "andesgpt", "ant ?group", "anthropic", "antigravity", "apertus",
    "arcee", "athene-v\\d", "augment code", "auto-?gpt", "autocoderover", "babbage-\\d", "baichuan", "baidu",
    "baize", "bigcode", "bigmodel", "bigscience", "blackbox ?ai", "bloomz", "bluelm", "bolt\\.diy", "bolt\\.new",
    "bytedance", "c4ai", "cerebras", "chat ?gpt", "chatglm", "chatgpt", "chinese-alpaca", "claude", "cluade",
    "code[ _-]llama", "codearts", "codebooga", "codebuddy", "codeflicker", "codefuse", "codegeex", "codegemma",
    "codeium", "codellama", "codeninja", "codeparrot", "codeqwen", "coderabbit", "codeshell", "codestral", "codet5",
    "codeup", "codewhisperer", "codex", "codium ?ai", "cogito[- ]v", "cohere(?=[-./_]\\w)", "comate",
    "command-(?:[ar]|light|nightly)", "computer-use-preview", "continue\\.dev", "copilot",
    "cursor (?:agent|composer)", "davinci", "dbrx", "deep[ -]?seek", "deepcogito", "deepmind", "deepscaler",
    "deepswe", "devstral", "diffucoder", "dolphcoder", "dolphin-mixtral", "dots\\.(?:llm|vlm)", "doubao",
    "eleutherai", "ernie", "essential ?ai", "eurollm", "exaone", "factory droid", "fastchat", "firefunction",
    "flan[ _-]?t5", "gemma", "genspark", "gigachat", "gippity", "github copilot", "gitlab duo", "glm[- ]\\d",
    "goliath", "google ai", "gpt", "gpt[ _-]?neox?", "granite[ _-]code", "greptile", "grok \\d",
    "grok-(?:beta|build)", "groq", "guanaco", "h2o\\.ai", "h2ogpt", "hailuo", "hcx-\\d", "huawei", "hugging ?face",
    "huggingchat", "hunyuan", "hy\\d-preview", "hyperclova", "iflytek", "inception labs", "inclusionai", "incoder",
    "inflection ai", "inflection pi", "inkling", "instructgpt", "intellect-\\d", "intern-s\\d", "intern[ -]?lm",
    "internvl", "j2-(?:light|mid|ultra)", "jais-", "jamba", "jan-nano", "jetbrains", "joycode", "junie",
    "jurassic-?\\d", "k2(?:\\.\\d|[- ]thinking|[- ]instruct)", "k2-think", "kakao", "kanana", "kat-(?:coder|dev)",
    "kilo ?code", "kimi", "kiro", "krutrim", "kuaishou", "kwaipilot", "leanchat", "leanstral", "learnlm", "lfm\\d",
    "lingma", "liquid ?ai", "llama", "llava", "lmsys", "longcat", "luminous-", "lyria", "magic(?:oder|[ -]?coder)",
    "magistral", "mai-(?:ds|code|thinking|cyber|\\d)", "marco-o\\d", "marscode", "mathstral", "medlm", "megrez",
    "meituan", "mellum", "mercury coder", "meta ai", "metagpt", "mi[sx]tral(?: ?ai)?", "microsoft research", "milm",
    "mimo", "minicpm", "minimax", "ministral", "minitron", "mixtao", "moatless", "molmo", "moonshot(?: ?ai)?",
    "morph-v\\d", "mosaicml", "moss大模型", "mpt-\\d+b", "nanbeige", "naver", "nemotron", "nexusflow",
    "nous ?research", "nous-", "nvidia", "nxcode", "o[1-5] (?:mini|pro|preview)",
    "o[1-5]-(?:mini|pro|preview|high|low|medium|deep|\\d{4})", "oasst", "octo[ -]?coder", "octopack", "ollama",
    "olmo", "open ?assistant", "open-?r1", "open[ -]?ai", "openbuddy", "openchat", "openclaw",
    "opencodeinterpreter", "opencoder", "opendevin", "openelm", "openhands", "openhermes", "openorca", "openrouter",
    "openthinker", "paddleocr", "palmyra", "perplexity-deep", "pharia", "phind", "pixtral", "plamo", "platypus2",
    "polycoder", "poolside ai", "pplx", "prime intellect", "qoder", "qodo", "qvq", "qwen", "qwq", "rakuten ?ai",
    "raptor mini", "refact\\.ai", "reka", "reka ai", "replit", "rinna", "rnj-\\d", "roo ?code", "sakana ai",
    "salamandra", "sam altman", "sambanova", "samsung", "santacoder", "sarvam", "seed-?coder", "seed-?oss",
    "sensechat", "sensenova", "sensetime", "siliconflow", "sk telecom", "sky-t1", "skywork", "smollm",
    "snowflake[- ]arctic", "sonar-(?:pro|reasoning|deep|small|medium)", "sonnet", "sourcegraph", "sparkdesk",
    "stability ai", "stable code", "stablebeluga", "stablecode", "stablelm", "star[ -]?coder", "starchat",
    "starling-lm", "stepaudio", "stepfun", "stripedhyena", "supermaven", "swe-(?:1|agent|dev|llama|grep)",
    "sweep ai", "tablegpt", "tabnine", "technology innovation institute", "telechat", "tencent", "teuken",
    "tiangong", "tigerbot", "tinyllama", "titan[- ]text", "together ai", "tongyi", "trae",
    "trinity-(?:mini|nano|large)", "tulu", "twelvelabs", "ui-tars", "upstage", "v0\\.dev", "vicuna", "volcengine",
    "voxtral", "watsonx", "wavecoder", "wenxin", "whiterabbitneo", "windsurf", "wizard[ -]?(?:coder|lm)", "x-?ai",
    "xgen", "xiaomi", "xuanyuan", "xverse", "xwin", "yandex ?gpt", "yi-(?:coder|lightning|large|\\d+b)", "yuan-?2",
    "yuanbao", "z\\.ai", "zamba", "zed zeta", "zencoder", "zhipu", "zhipuai", "ziya", "书生[·・]?(?:浦语|万象)",
    "亚马逊", "代码小浣熊", "元象", "克劳德", "千问", "华为", "哈基米", "商汤(?:科技)?", "天工(?:ai|大模型)",
    "天猫精灵", "奥特曼", "字节跳动", "小浣熊", "小爱同学", "小米大模型", "小艺", "小钢炮", "序列猴子", "微软",
    "必应", "悟道", "文小言", "文心(?:一言|大模型|快码)?", "日日新", "昆仑(?:万维|天工)",
    "星火(?:大模型|认知大模型)?", "智源", "智脑", "智谱(?:清言|ai)?", "月之暗面", "海螺", "深度求索",
    "混元(?:大模型)?", "清言", "澜舟", "火山引擎", "百川(?:智能|大模型)?", "百度", "百炼", "盘古(?:大模型)?",
    "硅基流动", "科大讯飞", "秘塔", "稀宇(?:科技)?", "紫东太初", "腾讯", "腾讯元宝", "英伟达", "苹果公司", "言犀",
    "讯飞", "讯飞(?:星火)?", "谷歌", "豆包", "跃问", "达摩院", "通义(?:千问|灵码|听悟)?", "问小白", "阶跃星辰",
    "阿里", "阿里(?:巴巴|云)", "零一万物", "面壁",
)  # fmt: skip
"""Hidden in upper or lower case, because they are not ordinary words."""

CAPITALISED = (
    "Alpaca", "Amazon", "Amazon Nova", "Amazon Q", "Amazon Titan", "Apple Intelligence", "Aquila", "Arctic", "Aya",
    "Bard", "Bedrock", "Bing", "BLOOM", "CodeGen", "Cody", "Cognition AI", "Cohere", "Cursor AI", "DALL-E",
    "Databricks", "Devin", "Dolly", "Duet AI", "Falcon LLM", "Gemini", "GEMINI", "Google", "Granite", "GROK",
    "Grok", "Haiku", "Hermes", "IBM", "Jais", "LaMDA", "Le Chat", "LG AI", "LG AI Research", "Manus", "Microsoft",
    "MOSS", "Opus", "Orca", "PaLM", "Perplexity", "Perplexity Sonar", "Pi AI", "Poe", "Poolside", "Pythia",
    "Salesforce", "Solar Mini", "Sora", "Spark Desk", "Spark Max", "Writer AI", "Yi Lightning", "Zephyr",
)  # fmt: skip
"""Hidden with exactly these capitals, or in upper or lower case if the word has a version."""

WITH_VERSION = (
    "command", "composer", "cosmos", "dolphin", "eagle", "falcon", "fugu", "glm", "hy", "inflection", "ling",
    "macaron", "mercury", "morph", "muse", "nova", "opt", "palm", "phi", "ring", "rwkv", "seed", "solar", "spark",
    "step", "titan", "yi", "天工",
)  # fmt: skip
"""Hidden only if the word has a version or variant: *phi-3*, *nova-large*; and *Command R*."""

ORDINARY = (
    "(?<!\\d)字节", "360公司", "Adept", "Ai2", "Amp", "Apple", "Augment", "Bolt", "Cascade", "Cline", "Cognition",
    "Composer 1(?:\\.\\d)?", "Cursor", "Droid", "Elon Musk", "Goose", "Inception", "Inflection", "Jules", "Koala",
    "LG", "Liquid", "Lovable", "Lumo", "Meta", "Mosaic(?:ML)?", "Nous", "OPPO", "Proton", "Reka", "Roo",
    "Snowflake", "Sonar", "Stability", "Sweep", "Sydney", "TII", "Together", "Tsinghua", "Vercel", "Warp", "Writer",
    "Zed", "三六零", "上海AI实验室", "上海人工智能实验室", "中国电信", "中国科学院", "中国移动", "中国联通", "书生",
    "云知声", "云雀", "京东", "元宝", "元景", "出门问问", "北京大学", "双子座", "可图", "商量", "复旦大学", "天工",
    "太极", "夸克", "奇虎360", "姜子牙", "子曰", "孟子", "安第斯", "小V", "小布", "小度", "小米", "小红书", "巴德",
    "度小满", "快意", "快手", "悟空", "星辰", "曹植", "月暗", "清华大学", "灵医", "猎户星空", "百灵", "纳米",
    "网易(?:有道)?", "羊驼", "美团", "蓝心", "蚂蚁(?:集团|百灵)?", "赤兔", "轩辕", "闻歌", "阶跃", "雅意", "马斯克",
    "鹏城实验室", "龙猫",
)  # fmt: skip
"""Names that are ordinary words: hidden after *by*, *from*, *由*, *来自*, *我是*, and where they think or answer."""

SHORT = ("DS", "DS-[VR]\\d", "[KMRV][1-4]", "[Oo][1-5]", "4o(?:-mini)?", "Command [AR]")
"""Names that are also names of variables and versions: hidden only where they think, answer or were trained."""

VARIANTS = (
    "advanced", "audio", "chat", "code", "coder", "distill", "exp", "fast", "flash", "guard", "haiku", "instruct",
    "large", "latest", "lite", "maverick", "max", "medium", "micro", "mini", "nano", "nemo", "o[134]", "opus", "plus",
    "premier", "preview", "pro", "r\\+?", "reasoner", "reasoning", "scout", "small", "sonnet", "speciale", "thinking",
    "turbo", "ultra", "vision",
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

__all__ = ["ALWAYS", "CAPITALISED", "EDITIONS", "ORDINARY", "SELF", "SHORT", "VARIANTS", "WITH_VERSION"]
