"""Names of models, their makers and tools, which would reveal a text's author to a blind rater.

Each list has one rule; `annotator.text.blinding.scrub` applies them. A new model is one word in one list.
"""

from __future__ import annotations

ALWAYS = (
    "(?:code|text)(?:chat)?-(?:bison|gecko|unicorn)", "(?:open)?pangu", "01\\.ai", "360智脑", "a\\.x[- ]\\d", "abab",
    "ai21(?: labs)?", "aider", "aixcoder", "aleph alpha", "alibaba cloud", "alibaba", "allen ?ai", "alphacode",
    "anthropic", "antigravity", "apertus", "arcee", "athene-v\\d", "augment code", "auto-?gpt", "babbage-\\d",
    "baichuan", "baidu", "bigcode", "bigmodel", "bigscience", "bloomz", "bolt\\.new", "bytedance", "c4ai", "chat ?gpt",
    "chatglm", "chatgpt", "claude", "cluade", "code[ _-]llama", "codebuddy", "codegeex", "codegemma", "codeium",
    "codellama", "codeparrot", "codeqwen", "codestral", "codet5", "codewhisperer", "codex", "cogito[- ]v", "cohere",
    "comate", "copilot", "davinci", "dbrx", "deep[ -]?seek", "deepcogito", "deepmind", "deepscaler", "deepswe",
    "devstral", "diffucoder", "dolphin-mixtral", "dots\\.(?:llm|vlm)", "doubao", "eleutherai", "ernie", "eurollm",
    "exaone", "fastchat", "firefunction", "flan[ _-]?t5", "gemma", "gigachat", "gippity", "github copilot",
    "glm[- ]\\d", "goliath", "google ai", "gpt", "gpt[ _-]?neox?", "granite[ _-]code", "grok \\d", "guanaco",
    "h2o\\.ai", "h2ogpt", "huawei", "hugging ?face", "huggingchat", "hunyuan", "hy\\d-preview", "hyperclova", "iflytek",
    "inception labs", "inclusionai", "incoder", "inflection ai", "inflection pi", "inkling", "instructgpt",
    "intellect-\\d",
    "intern-s\\d", "intern[ -]?lm", "internvl", "j2-(?:light|mid|ultra)", "jais-", "jamba", "jetbrains", "junie",
    "jurassic-?\\d", "k2(?:\\.\\d|[- ]thinking|[- ]instruct)", "k2-think", "kanana", "kat-(?:coder|dev)", "kimi",
    "kiro", "krutrim", "kuaishou", "kwaipilot", "leanchat", "leanstral", "learnlm", "lfm\\d", "lingma", "liquid ?ai",
    "llama", "lmsys", "longcat", "luminous-", "lyria", "magic(?:oder|[ -]?coder)", "magistral",
    "mai-(?:ds|code|thinking|cyber|\\d)", "marco-o\\d", "marscode", "mathstral", "medlm", "megrez", "meituan",
    "mellum", "mercury coder", "meta ai", "mi[sx]tral(?: ?ai)?", "microsoft research", "mimo", "minicpm", "minimax",
    "ministral", "molmo", "moonshot(?: ?ai)?", "morph-v\\d", "moss大模型", "mpt-\\d+b", "nanbeige", "nemotron",
    "nexusflow", "nous ?research", "nous-", "nvidia", "o[1-5]-(?:mini|pro|preview|high|low|medium|deep|\\d{4})",
    "oasst", "octo[ -]?coder", "octopack", "ollama", "olmo", "open ?assistant", "open-?r1", "open[ -]?ai", "openchat",
    "opencodeinterpreter", "opencoder", "openelm", "openhermes", "openorca", "openrouter", "openthinker", "paddleocr",
    "palmyra", "pharia", "phind", "pixtral", "plamo", "platypus2", "polycoder", "poolside ai", "prime intellect",
    "qoder", "qodo", "qvq", "qwen", "qwq", "rakuten ?ai", "raptor mini", "reka ai", "reka", "replit", "rinna",
    "rnj-\\d", "roo ?code", "sakana ai", "salamandra", "samsung", "santacoder", "sarvam", "seed-?coder", "seed-?oss",
    "sensechat", "sensenova", "sensetime", "sk telecom", "sky-t1", "skywork", "smollm",
    "sonar-(?:pro|reasoning|deep|small|medium)", "sonnet", "sourcegraph", "sparkdesk", "stability ai", "stable code",
    "stablecode", "stablelm", "star[ -]?coder", "starchat", "starling-lm", "stepaudio", "stepfun",
    "swe-(?:1|agent|dev|llama|grep)", "tabnine", "telechat", "tencent", "teuken", "tigerbot", "together ai", "tongyi",
    "trae", "trinity-(?:mini|nano|large)", "tulu", "twelvelabs", "ui-tars", "upstage", "vicuna", "voxtral", "wenxin",
    "whiterabbitneo", "windsurf", "wizard[ -]?(?:coder|lm)", "x-?ai", "xgen", "xiaomi", "xverse", "xwin",
    "yandex ?gpt", "yi-(?:coder|lightning|large|\\d+b)", "yuanbao", "z\\.ai", "zamba", "zed zeta", "zhipu", "zhipuai",
    "书生[·・]?(?:浦语|万象)", "亚马逊", "代码小浣熊", "元象", "克劳德", "千问", "华为", "哈基米", "商汤(?:科技)?",
    "天工(?:ai|大模型)", "天猫精灵", "奥特曼", "字节跳动", "小浣熊", "小爱同学", "小米大模型", "小艺", "小钢炮",
    "序列猴子", "微软", "必应", "悟道", "文小言", "文心(?:一言|大模型|快码)?", "日日新", "昆仑(?:万维|天工)",
    "星火(?:大模型|认知大模型)?", "智源", "智脑", "智谱(?:清言|ai)?", "月之暗面", "海螺", "深度求索",
    "混元(?:大模型)?", "清言", "澜舟", "百川(?:智能|大模型)?", "百度", "盘古(?:大模型)?", "科大讯飞", "秘塔",
    "稀宇(?:科技)?", "紫东太初", "腾讯", "腾讯元宝", "英伟达", "苹果公司", "言犀", "讯飞", "讯飞(?:星火)?", "谷歌",
    "豆包", "跃问", "达摩院", "通义(?:千问|灵码|听悟)?", "问小白", "阶跃星辰", "阿里", "阿里(?:巴巴|云)", "零一万物",
    "面壁",
)  # fmt: skip
"""Hidden in upper or lower case, because they are not ordinary words."""

CAPITALISED = (
    "Alpaca", "Amazon Nova", "Amazon Q", "Amazon Titan", "Amazon", "Apple Intelligence", "Aquila", "Arctic", "Aya",
    "Bard", "Bedrock", "Bing", "BLOOM", "CodeGen", "Cody", "Cognition AI", "Cursor AI", "DALL-E", "Databricks",
    "Devin", "Dolly", "Duet AI", "Falcon LLM", "GEMINI", "Gemini", "Google", "Granite", "Grok", "Haiku", "Hermes",
    "IBM", "Jais", "LaMDA", "Le Chat", "LG AI", "Manus", "Microsoft", "MOSS", "Opus", "Orca", "PaLM",
    "Perplexity Sonar", "Perplexity", "Pi AI", "Poe", "Poolside", "Pythia", "Salesforce", "Sora", "Spark Desk",
    "Writer AI", "Zephyr",
)  # fmt: skip
"""Hidden with exactly these capitals, or in upper or lower case if the word has a version."""

WITH_VERSION = (
    "command", "composer", "cosmos", "dolphin", "eagle", "falcon", "fugu", "glm", "hy", "inflection", "ling",
    "macaron", "mercury", "morph", "muse", "nova", "opt", "palm", "phi", "ring", "rwkv", "seed", "solar", "spark",
    "step", "titan", "yi", "天工",
)  # fmt: skip
"""Hidden only if the word has a version or variant: *phi-3*, *nova-large*; and *Command R*."""

ORDINARY = (
    "(?<!\\d)字节", "360公司", "Adept", "Ai2", "Amp", "Apple", "Cline", "Cognition", "Composer 1(?:\\.\\d)?", "Cursor",
    "Inception", "Inflection", "Liquid", "Lumo", "Meta", "Mosaic(?:ML)?", "Proton", "Reka", "Snowflake", "Stability",
    "Sydney", "TII", "Together", "Writer", "三六零", "上海AI实验室", "上海人工智能实验室", "中国电信", "中国科学院",
    "书生", "云雀", "京东", "元宝", "北京大学", "双子座", "可图", "商量", "复旦大学", "天工", "太极", "夸克",
    "奇虎360", "子曰", "孟子", "小V", "小布", "小度", "小米", "小红书", "巴德", "快意", "快手", "悟空", "星辰", "曹植",
    "月暗", "清华大学", "灵医", "百灵", "纳米", "网易(?:有道)?", "羊驼", "美团", "蚂蚁(?:集团|百灵)?", "阶跃", "雅意",
    "马斯克", "鹏城实验室", "龙猫",
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
