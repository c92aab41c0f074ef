<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
 <context>
  <name>Annotator</name>
  <message>
   <source>The program ended unexpectedly last time. Everything saved is there; the log says more.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Saving takes longer than expected; it is still under way.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ good</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>? not checked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>made</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>age</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>acts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>decisions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>made for</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} backups checked, {words}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Each backup is checked when it is written. Putting one back keeps the present file beside it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backups, newest first</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Back up now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Check all now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put this one back…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Close</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checking backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{bad} damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all good</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Something went wrong</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Something went wrong that Annotator did not expect</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Your work is safe: everything that was said to be saved is on disk. You can go on working. A report helps to mend this. Nothing is sent anywhere; read it, then copy or save it if you want to.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The whole report</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the error's own words in (they may quote a subject)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy the report</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the report…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go on working</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copied.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the report</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Saved as {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>It could not be saved ({strerror}).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>stands</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>undone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>undone for good</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} act</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} acts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>History</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search acts, people, dates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search the history</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Acts, newest first</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What to compare</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose an act to see what going back to it would change.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What changes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to here</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to before it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>See the project then</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Restore this subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Restore all</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Acts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} of {total} acts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comparing…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} subject differs from now, in {fields} fields.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} subjects differ from now, in {fields} fields.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The work stood then as it stands now.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>then</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>after it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Undo or redo to here</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Then and now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>After it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name}: the chosen field</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>when</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>who</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>what</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing of yours changes here: your acts stand as they stood after this one.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>undoes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>does again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> {more} more subjects change, too.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} of your acts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>one act of yours</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Going here {verb} {yours}: {names}.{more}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>field</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The backup is in place; the file that stood there is kept as {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The project is sound.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The project will be what it was on {when}. The present file is kept beside it, so nothing is lost. To bring back single subjects, use the history instead.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Putting the backup back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leave it as it is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} is damaged. What you do now is still saved.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} is on a server, which is backed up there (pg_dump).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put this backup back?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put it back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checking the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The project as it was</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Restore all of it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Back to now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>◷ You see the work as it stood on {moment}. Nothing can be changed here, and nothing of now is lost.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>decision</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>prompt</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>criterion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>comment</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>judgement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>change</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{readable} rows can be read.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{written} rows recovered.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This project is damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} is damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Looking at what can be read… The file is left as it is.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What can be read, table by table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open what can be read</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export what can be read…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the newest backup back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Looking at {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{readable} rows can be read from {source}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export what can be read</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recovering</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{written} rows are in {name}, and a sound project with {count} rows in {words}. {list}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> by {annotator}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The newest act is “{label}”{who}, {created_at}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The newest good backup was made {made_at}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the backup of {made_at} back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is no good backup.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>readable</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>lost</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ whole</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>⚠ damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Error</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show details</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy details</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy your text</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Report…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Dismiss</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Error details</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not saved. </source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>and {more} more, in the details</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} earlier error is in the details.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} earlier errors are in the details.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Hide details</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Turn mined candidates into a proven, released benchmark for code language models, and read the results.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everything stays on this machine unless you set up an endpoint to call.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pages</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keys, page by page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keys that are one character act only while no text field has the focus.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>About Annotator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everywhere</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Built on {list}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Qt is used under the LGPL 3; Annotator under the Apache licence 2.0.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>  or  </source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Page of the manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search the manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Contents</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing fits. Try fewer words.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{title} · Manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Forward</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Actions and their keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Set</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take it over</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reset</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reset all keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{title}: {help}. It has {held}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{key} is the key of {title} already.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>action</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> or </source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{key} is the key of {title} now. Reset it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>changed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Another annotator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name of the person who works here now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Text at {scale} %.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{project_name} · Annotator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Undo {undo_label}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Undo</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Redo {redo_label}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Redo</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Something went wrong that Annotator did not expect. What is on disk is untouched.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This page could not be shown. The error is above.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bugs are put into accepted subjects with code and tests. Only those that are proven come here, to be reviewed by two people.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No bug yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Propose bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is shown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bugs shown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Edit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Code with the bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} of {count2}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items from code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Combine bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>To review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accepted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rejected</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>With the bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proposing bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Combining bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Making items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Asking for bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A rejection needs a reason.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save and prove</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Edit  {keys}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proving the bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept Python subjects with tests first.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No bug could be proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kind</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>State</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing in this list</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The other lists above the queue hold the other bugs.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Opinions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Review and vote</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Three experts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comments</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>List</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Lock</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>About the subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Conflict in {table}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unlock…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>detail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comments {count}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{verdict} the {artefact}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unlock</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Why is it opened again?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> (locked)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> (undone)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Criterion queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No accepted subject yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept candidates on the Select page; what a good response holds is written down here and tried at once.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to Select</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proving {title}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{message} Your text is kept here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The test is added; two others must confirm it. Prove the item again.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>written</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Drafts…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save and next</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>saved by {by}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not written yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Running the tests…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is nothing to prove yet: neither a rule nor tests. Add a rule first.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{names} against {names2}: {judged_pairs} of {pairs} pairs judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All your pairs are judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>You can still undo. Sealing the batch makes your verdicts final.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Study</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Face</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pairs judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New study…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No pairs to judge yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A study puts two texts for the same subject side by side, without names and in an order drawn by chance: answers of two models, a human and a model's paraphrase, before and after.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Seal the batch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>You have judged for {minutes} min. A short break keeps your verdicts steady.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label} is ready.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unblind the study</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everybody will see in the history that you looked. Why now?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>holds: map, pairs and orders are those committed to</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>does not hold</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The commitment {commitment}… {word}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No pair is assigned to you</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The study {name} is judged by {list}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This batch is sealed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Thank you. Results show what came of the study.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Judge</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} ({pairs} pairs)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{done} of {mine} judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not assigned to you</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model for bugs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>As the endpoint names it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Endpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Kinds</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bugs of each kind</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The project has no endpoint yet. Add one on the Runs page.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Each answer is proven before it comes to the reviewers.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tick a kind of bug.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} bugs proposed in {count2} subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{rule} (line {list})</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not proven: {problem}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{ratio} times slower at size {sizes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>First failure: {message}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>By {operator} ({origin}). {explanation}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tests before and after</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reason to reject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proof</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Your review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ticked: it holds. Empty: it does not. In between: not judged.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Test</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Before</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>After</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{failing} of {count} fail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the present state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Since {old}: {list}. Results can be compared on {count} items.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} added</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} removed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} changed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{same} same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Changes between versions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Part</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Errata</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>run of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>to score again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>to ask again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dropped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Older version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Newer version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stored results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items that differ</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>From</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>to</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>parts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>earlier scores</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the users of the older version are told with the next release. Change it as you like.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A draft of what to tell the users of the older version.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>added</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>removed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>do not count</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>count</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>comments that say so</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>belong to a function or class</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>parse, 3 to 100 lines, permissive licence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>are not overly simple</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>can be tested</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>are not near duplicates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} found, {kept} with nothing against them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{added} functions added, {known} known.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The comment says: {text}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Code that says a model wrote it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the 120 literal phrases alone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A clone, a zip or tar archive, or a file; comments alone are read</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mined functions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which functions are shown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leave out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep one of each task</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No code mined yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a folder of code. Functions whose comments say that a model wrote them are found in five languages, each with what speaks against it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine a folder of code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine an archive</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mining {name}…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mining {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Same task {count}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dropped as</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take {count} into the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}, lines {start} to {end}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>same task, {count} functions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Taking code of {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a folder…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose an archive…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Same task</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Function</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What it is alike</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Alike</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Funnel</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} files skipped: {reason}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take it all the same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A comment</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing is alike</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Jaccard {jaccard}, Levenshtein {levenshtein}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>a comment</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ taken</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>left out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>kept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compare two candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} of {title}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settled</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mentions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Conflicts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody disagrees</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Selections, marks, votes and judgements that differ are listed here, side by side.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing is settled yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settled disagreements stay here with who settled them and why.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept candidates on the Select page; they are reviewed here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody mentions you</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comments with your @name that you have not answered are listed here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No conflict of files</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Contents that a merged file brought and ours contradicts are listed here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>hidden</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{cast} of {voters}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not kept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>about</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>said</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>outcome</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>votes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>panel</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>differs in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>kind</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>row</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>by {link}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>, lines {lines} to {lines2}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>score {row}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accepted answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>task</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>domain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>area</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>difficulty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>question type</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>views</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>entry point</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>licence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>, tests could stand in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>yes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tags </source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dropped as {item}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>provenance: {replace}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is no rule yet. Add one below, or select text in a response and make it a rule.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Criterion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Template</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Criterion as YAML</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>grading:
  keywords:
    - a word the answer must contain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Line {line}: {message}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Form</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>and {count} more</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Criterion as a form</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add a rule</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Remove</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Remove {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Motivation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Composition</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Collection</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Preprocessing</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Uses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Distribution</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Maintenance</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The benchmark in a paragraph</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Where it lives, as an address</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How to cite it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Datasheet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Goes with every export. What the project knows is filled in.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> (required)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Evidence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Details of the subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{act} (undone)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fact</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>value</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>every accepted subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} drafts are there to be looked at.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every accepted subject that has no draft of this kind is asked about. Its tests are never shown.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every accepted subject has a draft of this kind already.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text} {count} subjects got none: {left_out}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Drafts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Draft</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Asking…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Asking for drafts of the {kind}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>An endpoint of the project, or an address</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Turn down</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kind of draft</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Repository</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Endpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The text can be edited before it is taken.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name an endpoint and a model first.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>test cases</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>paraphrase</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>instruction</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>requirement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>domain label</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ turned down</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Asking {model} about {title}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}, cut off</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Drafts for {title}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name of the key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Drafts of this subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the endpoint's own; never a key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Line {line}: {message}{more}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}: on disk. Undo takes it back.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was asked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Use</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>as the endpoint names it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Key name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>draft</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>asked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No draft yet. Choose whom to ask; a draft changes nothing until you use it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The answer was cut off at the limit of tokens.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> ({count} more)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{what} Mend it here, then use it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{rows} posts read.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{added} questions added, {known} known.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Questions a stage drops</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the panel shows</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stack Exchange dump</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a dump…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answers with a positive score</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read the dump</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Posts.xml, or a 7z, zip, gz, xz, zst or bz2 of it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read the dump again with this line</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No dump read yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a dump and read it. It is read once, in constant memory; then the line, the tags and the quotas can be changed, and every count follows at once.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a dump</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Dumps (*.xml *.7z *.zip *.gz *.xz *.zst *.bz2);;All files (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reading {name}… It can be paused and goes on where it was cut off.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reading {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>, {bad} rows could not be used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name}: {rows} posts, ages as of {as_of}{unusable}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{above} above the line{share}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Taking the inspection pool</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Taking the questions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Dropped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tags</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quotas</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answers at least</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Age against views</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take all…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the inspection pool</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take all {selected}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take all</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dropped question</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tags</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>days</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The tag tree is kept in the project.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>correctness</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>applicability</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>readability</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Realistic scenario</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Would use a model for it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{cast} of {voters} votes are cast; {needed} approvals are needed.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Note of the review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Note</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Panel…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reviews</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>note</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> The others' votes show once yours is cast.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> {approvals} approve: {word}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Artefact</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Content</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Note of the edit or confirmation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Note; a rejection needs one</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>edited by {edited_by}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not edited</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>confirmed by {list}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not confirmed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>; the run on it: {run}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>; {missing} more needed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New comment</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write a comment; @name tells a person</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comment</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reply</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cast the vote</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Solution</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the edit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Confirm</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mentions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>answers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>abstain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>still open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> (stale)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} gate blocks</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} gates block</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Before a release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Release gates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items that do not meet the gate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>gate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>ready to release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>does not meet it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>why</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ met</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ blocks</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>! open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Must be met</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Only shown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Off</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What must be met blocks a release until it is, or until somebody gives a reason to override it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Gates of a release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>People who review an item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Difficulty of the candidate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not said</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Question type of the candidate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Difficulty  E M H</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Question type  Y</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>runs it and passes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>does not pass, or does not run it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{tests} tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Functions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>turned down by</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>revision {revision}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no revision</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no licence found</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>first commit {first_commit}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>created {created}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{stars} stars</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{forks} forks</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>a fork</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} files skipped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no wheel was found for {list}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Taken</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Its tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>filter</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>reason</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>functions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take it anyway</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing speaks against it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> Press the key again for those you passed over.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody else has left an open candidate here.{again}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everybody: all work in this file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{total} new rows merged, {known} known.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{rows} rows written to {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text} {conflicts} conflicts are listed on this page.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export a packet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>For whom? A share for one person is blind.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Packet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Packets (*.packet)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The same passphrase once more.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Passphrase</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Merge</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Packets and projects (*.packet *.annotator)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A passphrase seals the packet. Leave it empty for none.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Writing {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Merging {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} is sealed with a passphrase.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The two passphrases differ, so no packet was written.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>1 is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>2 is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tie</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Both bad</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Question</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Guidelines</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rationale</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Why? Optional. {keys} puts the cursor here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate 1</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate 2</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{kept} of {subjects} subjects are kept. Agreement of the voters (Gwet's AC1): {value}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody has voted yet.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Panel</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>People who vote</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Approvals that keep a subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Approvals</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>approvals</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>result so far</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Share of each area</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quota of each language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>share</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Minimum</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Seed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>questions</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>quota</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>pool</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{quota} wanted, {pool} to inspect</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text} is not a share from 0 to 1.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ holds</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ fails</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>? open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>! not tried</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{got} must {expected}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prove</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checks of the proof and what was tried</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add this test</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add a test that notices the change chosen here</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>? may be the same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ not noticed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> (advice)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>check</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>score</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>what was seen</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proving…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How many accepted subjects are wanted with these values. An empty cell takes any value.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quotas of the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add a quota</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Remove the selected</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was found is masked. The report goes with the release folder and the Hugging Face folder.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Goes with every export of items as ATTRIBUTION.md, as the licences ask for it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Personal data and secrets</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sources and licences</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mining</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mined</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} of {count2} functions of {name} are kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>DomainEval: functions that run alone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>EvoCodeBench: in their repository</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Taking functions of {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Repositories</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Python repositories</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recipe</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Domain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Domain: guessed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>run their tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>In the sandbox, with the repository's own libraries; without it, code is only read</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>banned calls as the paper</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stars, topics and the like in GitHub's field names, for the next repository</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A clone, an sdist or a downloaded archive; its code runs in the sandbox alone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing found yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is found of a repository is shown here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No repository mined yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a folder or an archive. Functions that tests call are found by reading, then confirmed by running the tests; every filter says how many it turned down and why.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine a repository</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine archives</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Archives (*.tar.gz *.tgz *.zip *.tar *.tar.bz2 *.tar.xz);;All files (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Facts in GitHub's field names</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>JSON (*.json);;All files (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} holds the facts of the next repository.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pause</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cancel</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Facts…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose archives…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Benchmark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Resume</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go on</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Response</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prompt</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Test log</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Against reference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Other answers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Response with what matched</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Response beside the reference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rules and their points</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answers of other models and samples</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The other answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was done with the item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Send back to the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open the item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Why it failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One of the list, or words of your own ({key} opens the list by keys)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A note, if one helps</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Note on the error</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Label</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take your own label back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not scored</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{model} · sample {sample} · {outcome} · {score}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The answer itself is not in this project, only its verdict.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The prompt is not in this project.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing was run for this response.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{points} of {total}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>found</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rule</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>points</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>sample</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>score %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is no other answer to this item.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The item has no reference.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Own words…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Take back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✓ yes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>✗ no</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leaderboard</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Heat map</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Weighted by difficulty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comfort and strange</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Correlation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rank intervals</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Best of k</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score against size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compare two</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compare releases</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ranks elsewhere</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Item health</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Difficulty by pass rates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Skill rating</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cost against score</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score by length</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Decoding</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leakage</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recall of dependencies</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Why they failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Audit of a published table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quotas of a published table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Other release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scores of another benchmark…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Threshold of a comfort domain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>against</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filter the rows</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Protocol</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Grouped by</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>First model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Second model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>by {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>release {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>published: {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all protocols</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on the frontier</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>item score</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Results as</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pin</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep the chosen row on top</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tick</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Draw the line through the chosen model, or no longer; the column of ticks does the same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Envelope</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Draw the line through the best model of every size again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Figure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This table has no figure.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Requirement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Signatures</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>References</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Gates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>? not known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Java references are static methods of the class Solution. An empty text means no reference.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rewrite against leaks</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Part of the rewrite</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the mined code does</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is asked for now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Twists</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Changes of meaning, separated by semicolons: the delimiter becomes a parameter</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Language of the reference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every gate holds.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Gates that do not hold yet: {blocking}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{message} What is written here is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Coverage in {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reason; two others must confirm it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What ran</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Explain coverage…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Confirm the reason…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save and check</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>signature</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>objective</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>constraints of the result</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Such as cut(text: str, sign: str) -&gt; list; state the new one for each language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Each row of the table in each language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>seen</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A first draft, not saved yet. {words}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Running the mined code and the references…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checking the rewrite</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Explain coverage</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Confirm the reason</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is no saved reference yet.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tests of every language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>inputs (JSON list)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>expected (JSON)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>comparator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add a row</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Comparators: equal, close, unordered, raises</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name}: ({list}) gives {gives}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Row {place}: {name} is not JSON, such as [1, "a", null].</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Errors</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Requests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scores</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{answered} of {expected} answered</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{failed} without an answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{prompt} + {completion} tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{cached} from earlier runs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{per_minute} answers a minute</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What to see of the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How far the run is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items of the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Errors of the run by cause</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Requests of the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One request with its answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings of the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Beside the settings of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scorings of the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Let these scores count</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no other run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>[answer]
{text}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{seconds} s</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{model} on {version}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a run above.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>cause</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>for example</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>last</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>this run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the other run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>scored with</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>beside</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>paused</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{answered} of {expected}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>criteria of the {source}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>unknown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>counts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>differs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Start a run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>an environment variable; never a key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep this address in the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Where responses are scored</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>local, or dask://HOST:PORT</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Forecast</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Start</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Set up…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Endpoints, prices, prompt templates and protocols of this project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recorded…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score a file of JSON lines with subject, model, sample and response; every model in it becomes a run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{seconds} min</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not known without a price</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>, {known} answered already</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{calls} calls ({items} items, {samples} each{known}), about {prompt_tokens} tokens, {time}. Cost: {cost}. From {basis}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Address of the endpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Per million tokens; empty takes it from the project's price table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give a model and an endpoint; the forecast of calls, time and cost appears here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{version} ({item_count} items)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> at prices of {priced}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Samples</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Temperature</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Top-p</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Token limit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>At once</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cost cap</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Price in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Price out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>server's</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make a release first. Then ask a model over any OpenAI-compatible endpoint, or score recorded responses.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model over any OpenAI-compatible endpoint with the form on the left, or score recorded responses.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>queued</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>running</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Runs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stop</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Retry failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score the responses with the criteria as they stand in the project; nothing is asked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No run yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to Release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{waiting} in the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{done} of {expected}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run of {model} {state}: {done} of {expected} responses scored.{ending}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} responses of {count2} models scored.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scored again: {before} before, {after} now; {count} of {responses} scores differ.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give the model by the name the endpoint knows it by.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The cap</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{what} must be a {words}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The temperature</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The price in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The price out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Requests at once</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The limit of tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The samples</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>whole number above 0</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>number, 0 or more</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Task</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Area</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Difficulty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Anyone's</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mine</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody's</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sort by</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Imported</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filter by whose turn it is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep this filter</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filter by {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>By {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Forget</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show everything</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep this filter…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>left is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>right is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>both bad</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Discussion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Majority</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adjudicator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Why is it settled so?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settle</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The majority says {majority}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is no majority.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settled by {method}: {outcome}. {rationale}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Left</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Right</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Method</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Outcome</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>says</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ours, kept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Theirs, not taken</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Set up runs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What there is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Content as JSON</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name of the endpoint:</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Model (* and ? fit any):</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Endpoints</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prices</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Templates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Protocols</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>revision</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>by</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The text must be one JSON object.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This is not JSON: {error}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>version {version}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>as it came</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Model responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Paraphrases</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Requirements</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Domain labels</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Question types</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everybody judges every pair</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every pair by some raters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every rater a number of pairs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A fifth by everybody, the rest by one</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New study</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pairs from a file…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make the study</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate A</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pairs from {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pairs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>JSON lines (*.jsonl);;All (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give the study a name.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compared are</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Raters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Plan</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Number</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Served again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose at least one rater.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sides</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose two different sides.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unblind…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Check the map</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No tables yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Share of each domain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Add a domain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was reached</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept {count}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accepted. Undo takes it back.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Targets</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the choice reaches</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Standalone share</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mean dependencies</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Shares of domains sum to 1; without any, domains are taken as they come.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>target</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>wanted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>reached</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>of all there are</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A share is a number such as 0.25.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kind of the tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{fraction} of {questions} questions resolved, {ambiguous} name several</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Load a tag tree</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tag trees (*.json)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the tag tree</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tags without a place</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Placed tags</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} of the tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Place</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep in the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Load…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save as…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>placed tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not placed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a tag, or write one.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{tag} has no place that could be taken away.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} could not be written ({strerror}).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No tag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing new was made</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Questions about calls, blanks, and proven bugs to correct or find, made from accepted subjects with tests.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>accepted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rejected</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>flagged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>skipped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No item yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items shown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Family of items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every family</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Items made from code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Question as models are asked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reference answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>To decide</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The other lists above the queue hold the other items.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>to decide</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What this was made from has changed since. Reject it and make it again.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>pass ✓</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>partial</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fail ✗</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tried</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Responses and their scores</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Similarity of the responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make a rule</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make what is selected in the response a keyword rule</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not proven yet.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proof{sign}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run the tests to see what saving changes in runs of release {version}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Saving changes no score of the {responses} responses in runs of release {version}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Saving changes {changed} of {responses} responses in runs of release {version}; {flips} cross between passing and not.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> {unscored} could not be scored here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make a rule of the selection</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tried on</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Similarity</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Must pass</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Must fail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The proof is of an earlier criterion or prompt. Prove it again.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{model} {before} to {after}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> Ranks: {list}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source> No rank moves.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The reference's code: what the tests ran</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proven.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not proven: see what fails.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>was</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This answer must pass</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This answer must fail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nobody</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everybody in turn</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>this candidate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give {what}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Whose turn</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing here yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prompt queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept candidates on the Select page; their prompts are paraphrased here, beside the public original.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Paraphrased</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>ready</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The paraphrase is empty, so it was not saved. Write a text, or undo your edit.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kept anchors</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text} missing</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Distance from the original</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Skip</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Flag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rewrite…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kept names, numbers and the distance from the original show here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none to keep</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This will be the first release.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Create release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Changes…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Releases</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No release yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A release is frozen: items, criteria and prompts never change in it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export into a new or empty folder</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Release {version} with {item_count} items is frozen.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} files were written to {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Gates…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Personal data…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sources…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Datasheet…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Notes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is new, in a sentence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reason</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A required gate is not met: why release all the same?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>notes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>content</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} items were left out, for the format cannot hold them:</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG figure (*.svg);;PDF figure (*.pdf);;PNG figure (*.png);;Report of everything (*.html)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} was written.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No result yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score recorded responses on the Runs page; the leaderboard with its intervals appears here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to Runs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scores of another benchmark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>CSV or JSON (*.csv *.json)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}. It waits in the queue again.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} · failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not labelled</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{what} of {words}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recorded responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>JSON lines (*.jsonl *.jsonl.gz *.eval *.json);;All (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scoring {name}…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scoring {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep the endpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Name of this endpoint in the project:</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Retry</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scoring {model} again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No candidate to show</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidates come from files and folders on the Sources page. If a filter or a search is set, clear it first.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go to Sources</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Where the candidate comes from</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prompt of the candidate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quotas…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reason (may stay empty)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Decided</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{holder}'s turn</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{decision} by {annotator}{reason}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Select two candidates to compare them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{filled} / {wanted} filled</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none set</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{added} added, {known} known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stack Exchange</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Generated code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>, {changed} known with other content and left as they were</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text}, {bad} bad.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Files can be dropped on this page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Format</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Columns</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Columns, if they have other names: prompt=question reference=answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose files…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rows that could not be read</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import the good rows</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sources</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No source yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import JSON lines, HumanEval, an InfiBench suite or an exported release. Importing the same file twice adds nothing.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Where candidates come from</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import a folder</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Importing…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Importing {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>source</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>format</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bad</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Command palette</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search actions, subjects, runs and the manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What fits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing fits. Try fewer letters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open {stem}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recent project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run, {state}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The sample is in {parent}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backup written and checked: {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open on a server</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Address of the project, with your name in it and without a password</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backing up</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name}: the text there cannot be saved as it is.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not everything could be saved</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Close and lose it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keep it open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Preparing the sample</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Work is still running</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label} is not finished. What it has saved so far is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cancel it and close</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Undone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is nothing to undo.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Done again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>There is nothing to redo.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Working as {name}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}: done.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}: cancelled.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reset {name}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search settings and keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No setting fits. Look in Keys, or try fewer letters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings and keys</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings by section</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Yes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This is no key that can be used.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A key is pressed once; sequences of keys are not used here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backspace and Delete are for text: nothing else should hang on them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This key moves about in the window. Add Ctrl or Alt.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This key copies, cuts or pastes text.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>under way</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>waiting</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{saved} · backup not verified, {when}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reading the project…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing to save yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{saved} · no backup yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{saved} · backup verified {when}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Saved {at}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>under 1 min</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{minutes} min</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{minutes} h {minutes2} min</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}  waiting</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} decision on the server</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} decisions on the server</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} decision on disk</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} decisions on disk</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Progress of {label}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cancel {label}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Jobs under way</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Status</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Code of this project may run here without isolation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Somebody allowed it. annotator sandbox allow PROJECT --local no forbids it again.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>More jobs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>⚠ Not saved {now}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Opening {name}…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Working as {name}, {role}; choose another annotator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Another annotator…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cancelling…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No project open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show all {count} jobs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read-only: changes cannot be saved here · {text}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidates come from files, dumps and repositories</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Importing the same file twice adds nothing. The sample's 24 subjects came from one file.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the good ones</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A accepts, R rejects, U takes the last decision back. Every act is saved at once; the status bar says so.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write what models are asked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The paraphrase stands beside the original. Names and numbers that must survive are watched for you.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say what a good response holds</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Each change scores the stored responses again. Then prove it: right answers pass, impostors fail.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Freeze a version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A release never changes. What still blocks one is listed; a line leads to what it is about.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask models, or score recorded answers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every answer is on disk at once. A run that is cut off goes on where it stopped.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read what came of it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Scores have intervals. Choose a model, then a response, to see which rule gave which point.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tour</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{at} of {count}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Next</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>End the tour</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Done</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Annotator projects (*{PROJECT_SUFFIX});;All files (*)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on {host}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Welcome</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Turn candidates into a benchmark you can stand behind. A project is one file on this machine; the sample shows a finished one.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Recent projects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Projects you open will be listed here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Project name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>pandas questions 2026</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Project file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Your name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose the project file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Create project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>File</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New project file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give the project a name.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose where the project file goes.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} exists already. Choose another name.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The folder {parent} does not exist.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say who you are: your name goes with every decision.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{stem}, in {short_folder}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the server of this machine</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>yesterday</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} days ago</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>just now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{minutes} min ago</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{hours} h ago</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Original prompt</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Paraphrase</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write what models will be asked. Keep names, numbers and constraints.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} words</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Original</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{said}. Choose it to see what it drops.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>nothing below {low}, all above {high}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} answers: {nothing} get nothing below {low}, {everything} get all above {high}. Left and right move the lower line, with Shift the upper.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Clear the text</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search    /</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Search the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Progress of the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{views} k views</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{views} views</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>first {count} found</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Double click or Return shows the subjects of a quota; again shows all</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{label}: {filled} of {wanted}, {open} open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Age against views, with the filter line</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Left and right choose an end of the line, up and down move it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text}. Left and right choose an end of the line, up and down move it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{day} days</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>today</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{views} M</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{views} k</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{value} s</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{value} ms</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{value} µs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Times of the reference and of the code with the bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>size {size}: {seconds} and {seconds2}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing was timed.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reference and bug at </source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>View</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Help</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>New project…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make a new project file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open a project file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open on a server…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open a project that several people share</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open the sample</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A small finished project to look around in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Import…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read candidates from a file or folder</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Create a release…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Freeze what is accepted as a version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export a release…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write a version in a format others load</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Answer what goes with every export</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Changes between versions…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is new, what still counts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Gates of a release…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which conditions block a release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What looks like personal data or a secret</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sources and licences…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Whose work the items are</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Score recorded responses…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Read a file of responses and score them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model as the form on the page says</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pause or go on with the run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask nothing more for now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Set up runs…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Endpoints, prices, prompt templates and protocols</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export the results…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write the tables to a file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Label failed responses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go through the failed responses that have no label yet</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say why it failed…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose a label for the response; a digit takes it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export a packet…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write a colleague's share, or your own work</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Merge a packet or project…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take in what a colleague did</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write and check a copy of the project beside it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backups…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>See, check and put back the copies beside the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Close the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save what is pending and close the project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save what is pending and leave</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take back the last act, also across items and restarts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Do again what was undone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>History…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every act; go back to one, or see the project as it was</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the cursor in the search field</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Look, safety, and every key</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Command palette…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Find any action, subject, run or help page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Select</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accept or reject candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write the prompt beside the original</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Implanted bugs and their proof</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compare two responses blind</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Consensus</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settle what raters see differently</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Freeze a version and export it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Models that answer a release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leaderboard and every response</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Look as the system</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Light or dark as the system has it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Light</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Always light</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Dark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Always dark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Larger text</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All text one step larger</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Smaller text</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All text one step smaller</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Normal text size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Text in its first size again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Full screen</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Use the whole screen, or stop doing so</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the candidate, or the bug, into the benchmark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leave the candidate, or the bug, out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Decide later</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mark the candidate for somebody else to look at</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reject with a reason…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Leave out what is selected, and say why</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Skip with a reason…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Decide later, and say why</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Flag with a reason…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Mark for somebody else, and say why</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Label as easy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that it is easy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Label as medium</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that it is of medium difficulty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Label as hard</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that it is hard</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose the question type</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say what kind of question it is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Compare two candidates…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show the two selected, or this one and the next</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Next open that nobody has</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the next open candidate that nobody else works on</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say how many of which kind are wanted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Show my turn or everybody's</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Narrow the queue to the candidates that are your turn</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give to somebody…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say whose turn the selected candidates are</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Undo the decision</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take back the last act</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Next subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go down the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Previous subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Go up the queue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save what is written and show the next subject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save what is written and stay</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Drafts by a model…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model for a draft; nothing of it counts until you use it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Start again from the original</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the original text into the paraphrase</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rewrite against leaks…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Change requirement and signature of mined code, with tests in five languages</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Insert a template</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Begin a criterion from an example</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Form or YAML</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Change between the form and the YAML</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run the tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run the criterion's tests on the responses in the sandbox</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Prove the criterion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Try what must pass and what must fail, and keep the proof</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make what is selected in a response a keyword rule</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate 1 is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that the left candidate is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Candidate 2 is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that the right candidate is better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that both are good enough</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Say that neither is good enough</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Write the rationale</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put the cursor in the rationale</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make a study of pairs to be judged blind</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Panel of voters…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How many vote, and what came of it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Lock or unlock</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Close the subject to further work, or open it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Edit the bug</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Change the code of the bug; its proof and reviews no longer hold then</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put bugs into the accepted subjects with code and keep those that are proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ask a model for bugs…</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Let a model propose bugs in the accepted subjects and keep those that are proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put two proven bugs of a subject into one program</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make items from code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make questions about calls, blanks and accepted bugs from the accepted subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What stands here, in the manual</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the tour</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Through the sample project in a minute</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every key, page by page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Version and what it is built on</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Look</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Light, dark, or as the system has it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>System</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Text size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Size of all text.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Of the window, from its next start; the manual is in English.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>As the system</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Used when a new project asks for it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>General</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open the last project</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Begin with the project that was open at the end.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How many of the newest verified backups are kept beside a project in any case.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Safety</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Hourly backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>For how many hours with work the last backup of the hour is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Daily backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>For how many days with work the last backup of the day is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Weekly backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>For how many weeks with work the last backup of the week is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Back up when a project is opened</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A backup is made when a project with newer work than its last one is opened.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Acts between backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A backup is made after this many acts; 0 leaves it to the time.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Time between backups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A backup is made when the last one is older than this.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>minutes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>match</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>look for</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One a line; /between slashes/ is a pattern.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>any case</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>must not appear</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Finding it takes the points away.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What this shows; reviewers read it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>template</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The text with its blanks; something must follow the last one.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>a blank is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>may hold</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>contains is enough</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>It fails by raising an error, or by an exit status above 0.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>seconds</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>0: the default of the language.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>metric</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>reference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>nothing below</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all above</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>must not</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the answer is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the number is</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>give or take</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>it must</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>any of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keywords</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Blank filling</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the blanks hold</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unit tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Similarity to references</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Syntax of the code</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The whole answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A number</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Examples for the proof</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was the benchmark made for, and which gap does it fill?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Who made it, and on whose behalf?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Who paid for the work?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is an item, and how many are there of each kind?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What does an item consist of, and what may be missing?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Are the items all there are, or a sample, and drawn how?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which splits are recommended?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which errors, noise or repetitions are known?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Does it depend on anything outside, such as repositories or websites?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Does it hold personal, confidential or offensive content?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Where were the candidates taken from?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How were they collected and chosen, and by whom?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Over which time were they collected?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Did the authors of the sources know or agree, and under which terms?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Was there an ethical review?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How were the items rewritten, cleaned or labelled?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Is the raw material kept, and where?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which tools were used?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What has it been used for so far?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What should it be used for, and what not?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How likely is it that models have seen the items, and what was done about it?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How and where is it distributed, and since when?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Under which licences?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Do third parties or laws restrict its use?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Who maintains it, and how are they reached?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Will it be updated, how often, and what becomes of older versions?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which errors were found and fixed?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How can others contribute or report errors?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accepted subjects</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every item can be judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every item is proven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every language runs in the sandbox</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every item is reviewed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Three experts confirmed solution and tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The panel keeps every item</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No disagreement is open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The quotas are met</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No licence forbids passing on</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The licence is known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The provenance is known</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No secret and no personal data</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No item is there twice</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What was made from code still fits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The datasheet is complete</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>pass</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>refusal</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>empty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>truncated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>machinery</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>planned</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>done</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>stopped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>generation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>completion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>understanding</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>modification</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>question</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>easy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>medium</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>hard</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>accept</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>reject</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>skip</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>flag</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Generation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Completion</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Understanding</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Modification</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>title</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>verdict</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>unrealistic</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>ambiguous</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>changes the specification</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>leak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>duplicate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>too easy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Correctness</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Applicability</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Readability</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>verdicts</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tie</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not worse %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>95 % interval</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>sign test p</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>first / second</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>first says</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>win</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>lose</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>agreement on it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rater</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A wins</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>B wins</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>same again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>chose 1 %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>chose longer %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>median</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>labelled differently</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rank</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>group</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>DSI %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>DSI % by the convention</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>printed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>agrees</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>label</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>column</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>expected</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>candidates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>leak ratio %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mean peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>items judged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>solutions compared</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>like the original</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>limit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>most alike</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>comparable items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>difference</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>from</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>p</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>released as</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>by pass rates</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mean %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>models</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>changes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>skill</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>precision %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>standalone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>ours</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rank ours</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>size B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>active B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>prompt tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>completion tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>cost</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on the front</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>characters from</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>characters to</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>better</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>weighted %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>groups</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rank from</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>rank to</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>best %</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>protocol</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>SE</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no answer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>samples</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>mean</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>std</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all items</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>total</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>one</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>other</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Spearman</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>p &lt; .05</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>flags</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>spread</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>correlation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>discrimination</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>evidence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>temperature</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>top_p</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>max tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>function</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>taken</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>lines</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>complexity</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>stars</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tests</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>uses</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>repository</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>answered</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>outcomes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>release</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>scored</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>response</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>expert</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>adjudicator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>owner</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>evaluator</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>reviewer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>unproven</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>disputed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>solution</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>all</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>in review</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>asked for</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on opening</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>work</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>time</source>
   <translation type="unfinished" />
  </message>
 </context>
</TS>
