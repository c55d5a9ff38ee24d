import { execFileSync, spawnSync } from 'node:child_process';

const env = { ...process.env, GO111MODULE: 'off', GOFLAGS: '', GOPATH: '/usr/share/gocode' };

/** Whether this machine has Go and its checksum database's packages, where Debian puts them. */
export const hasGoSumdb = (): boolean =>
  spawnSync('go', ['list', 'golang.org/x/mod/sumdb/tlog', 'golang.org/x/mod/sumdb/note'], { env }).status === 0;

/** Compiles a program of one file. */
export const compileGo = (source: string, program: string): void => {
  execFileSync('go', ['build', '-o', program, source], { env, stdio: ['ignore', 'ignore', 'inherit'] });
};
