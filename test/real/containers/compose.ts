import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Which build of the image the containers run: an upgrade is a second build with another label. */
export type Build = 'trial-1' | 'trial-2';

type ContainerState = {
  readonly Service: string;
  readonly State: string;
  readonly ExitCode: number;
};

export type Compose = {
  /** Runs a command of the compose client on the containers of this build; gives what it printed. */
  readonly run: (build: Build, ...words: ReadonlyArray<string>) => Promise<string>;
  /** The command and its first words, for a shell. */
  readonly inShell: (build: Build) => string;
  readonly states: () => Promise<ReadonlyArray<ContainerState>>;
};

type Project = {
  readonly name: string;
  /** Where the files are written that say which build runs. */
  readonly directory: string;
  /** The containers that run the service's image. */
  readonly services: ReadonlyArray<string>;
  readonly env: Readonly<Record<string, string>>;
};

const LARGEST_OUTPUT = 64 * 1024 * 1024;

/** The compose client on `docker-compose.yml`, under a project name of its own, so that it meets no other containers. */
export const openCompose = async ({ name, directory, services, env }: Project): Promise<Compose> => {
  const client = (process.env['COMPOSE'] ?? 'docker compose').split(' ');
  const fileOf = (build: Build): string => `${directory}/${build}.yml`;
  for (const build of ['trial-1', 'trial-2'] as const) {
    const service = { image: `business-document-service:${build}`, build: { labels: { trial: build } } };
    // JSON is YAML
    await writeFile(
      fileOf(build),
      JSON.stringify({ services: Object.fromEntries(services.map((each) => [each, service])) }),
    );
  }
  const wordsOf = (build: Build): ReadonlyArray<string> => [
    ...client,
    ...['--project-name', name, '--project-directory', process.cwd()],
    ...['--file', 'docker-compose.yml', '--file', fileOf(build)],
  ];
  const compose = async (build: Build, ...words: ReadonlyArray<string>): Promise<string> => {
    // what is started is what the docs start; other commands meet all that is there
    const [command = '', ...first] = [...wordsOf(build), ...(words[0] === 'up' ? [] : ['--profile', '*'])];
    const options = { env: { ...process.env, ...env }, maxBuffer: LARGEST_OUTPUT };
    return (await run(command, [...first, ...words], options)).stdout;
  };
  return {
    run: compose,
    inShell: (build) => [...wordsOf(build), '--profile', '*'].map((word) => `'${word}'`).join(' '),
    states: async () =>
      (await compose('trial-1', 'ps', '--all', '--format', 'json'))
        .split('\n')
        .filter((line) => line !== '')
        // reason: the client prints one object a line; a state that is missing fails the comparison with it
        .map((line) => JSON.parse(line) as ContainerState),
  };
};
