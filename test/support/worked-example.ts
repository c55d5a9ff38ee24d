import { spawn } from 'node:child_process';

/** A step of the worked example: its commands, and what the README says they print. */
type Step = { readonly name: string; readonly commands: string; readonly printed: string | undefined };

const EXAMPLE = /<!-- example: (\S+) -->\n+```sh\n([\s\S]*?)\n```(?:\n+```(?:json|text)\n([\s\S]*?)\n```)?/g;

export const stepsOf = (readme: string): ReadonlyArray<Step> =>
  [...readme.matchAll(EXAMPLE)].map(([, name = '', commands = '', printed]) => ({ name, commands, printed }));

const END_OF_STEP = '=== end of step ===';

type Place = { readonly directory: string; readonly env: Readonly<Record<string, string | undefined>> };

/** Runs the steps in one shell, as a reader would type them, and gives what each of them printed. */
export const runSteps = (steps: ReadonlyArray<Step>, { directory, env }: Place): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const script = steps.map(({ commands }) => `${commands}\necho; echo "${END_OF_STEP}"`).join('\n');
    const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: directory, env });
    let printed = '';
    let complaints = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    shell.on('close', (code) => {
      if (code === 0) resolve(printed.split(END_OF_STEP).map((text) => text.trim()));
      else reject(new Error(`the example ended with ${String(code)}:\n${printed}\n${complaints}`));
    });
  });

/** What differs from run to run, written as the README writes it. */
export const masked = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/"[0-9a-f]{64}"/g, '"…"')
    .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"…"')
    .replace(/\},\n\{/g, '},{')
    .replace(/\b\d+ (events|streams)\b/g, '… $1');
