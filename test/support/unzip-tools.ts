import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A program that people unpack a ZIP with; in place of `ZIP` and `DIR` stand the file and where to, and with `-` it is a pipe. */
export const UNZIP_TOOLS: ReadonlyArray<{ readonly name: string; readonly command: string; readonly program: string }> =
  [
    { name: 'unzip', program: 'unzip', command: 'unzip -q "$ZIP" -d "$DIR"' },
    { name: 'jar', program: 'jar', command: 'cd "$DIR" && jar xf "$ZIP"' },
    { name: 'jar, out of a pipe', program: 'jar', command: 'cd "$DIR" && cat "$ZIP" | jar x' },
    { name: '7z', program: '7z', command: '7z x -y -o"$DIR" "$ZIP"' },
    { name: 'bsdtar', program: 'bsdtar', command: 'bsdtar -xf "$ZIP" -C "$DIR"' },
    { name: 'bsdtar, out of a pipe', program: 'bsdtar', command: 'cat "$ZIP" | bsdtar -xf - -C "$DIR"' },
  ];

export const hasProgram = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** What the program makes of a ZIP: the files, by their names in it. Throws where it says that something is wrong. */
export const unpacked = async (command: string, zip: string): Promise<ReadonlyMap<string, Buffer>> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'unzip-'));
  try {
    execFileSync('sh', ['-c', command], { env: { ...process.env, ZIP: zip, DIR: directory }, stdio: 'pipe' });
    const files = new Map<string, Buffer>();
    for (const name of (await readdir(directory, { recursive: true })).toSorted())
      if ((await stat(path.join(directory, name))).isFile())
        files.set(name, await readFile(path.join(directory, name)));
    return files;
  } finally {
    await rm(directory, { recursive: true });
  }
};
