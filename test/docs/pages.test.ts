import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../src/config.js';
import { withSecretFiles } from '../../src/config/secret-files.js';
import { anchorsIn, codeIn, tableBelow } from '../support/markdown.js';

const isFaulty = async (page: string, link: string): Promise<boolean> => {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsIn(await readFile(target, 'utf8')).includes(anchor);
};

const allPages = async (): Promise<ReadonlyArray<string>> => {
  const below = await readdir('docs', { recursive: true });
  return ['README.md', ...below.filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name))];
};

describe('the pages of the documentation', () => {
  it('link only to what there is', async () => {
    const pages = await allPages();
    const faulty: Array<string> = [];
    for (const page of pages)
      for (const [, link = ''] of (await readFile(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g))
        if (!/^https?:/.test(link) && (await isFaulty(page, link))) faulty.push(`${page}: ${link}`);
    expect(faulty).to.deep.equal([]);
  });

  it('are all named by the README', async () => {
    const readme = await readFile('README.md', 'utf8');
    const pages = (await readdir('docs')).map((name) => `docs/${name}`);
    expect(pages.filter((page) => !readme.includes(`](${page})`))).to.deep.equal([]);
  });

  it('name only commands of npm that there are', async () => {
    // reason: the file is ours
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly scripts: object };
    const pages = await allPages();
    const missing: Array<string> = [];
    for (const page of pages)
      for (const [, script = ''] of (await readFile(page, 'utf8')).matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g))
        if (!(script in scripts)) missing.push(`${page}: ${script}`);
    expect(missing).to.deep.equal([]);
  });

  it('name every setting, and none that there is not', async () => {
    const asked = new Set<string>();
    const note = (name: string | symbol): undefined => {
      if (typeof name === 'string') asked.add(name);
      return undefined;
    };
    const environment = new Proxy<Record<string, string>>({}, { get: (_, name) => note(name) });
    readConfig(environment);
    withSecretFiles(environment, () => '');
    const page = await readFile('docs/configuration.md', 'utf8');
    const named = codeIn(page).filter((code) => /^[A-Z][A-Z0-9]*_?[A-Z0-9_]*$/.test(code) && code !== '_FILE');
    expect([...new Set(named)]).to.have.members([...asked]);
    const [, ...rows] = tableBelow(page, '# Configuration');
    const inTable = rows.flatMap(([names = '']) => codeIn(names));
    expect(inTable).to.have.members([...asked].filter((name) => !name.endsWith('_FILE') && name !== 'NODE_ENV'));
  });

  it('name only folders and files that there are in the map of the code', async () => {
    const [, ...rows] = tableBelow(await readFile('docs/code.md', 'utf8'), '## Folders');
    const named = rows.flatMap(([names = '']) => codeIn(names));
    expect(named.length).to.be.greaterThan(10);
    expect(named.filter((name) => !existsSync(name))).to.deep.equal([]);
  });
});
