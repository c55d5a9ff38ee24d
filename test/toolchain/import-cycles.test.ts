import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

type Graph = ReadonlyMap<string, ReadonlyArray<string>>;

const sourceFiles = (): ReadonlyArray<string> => {
  const project: unknown = ts.readConfigFile('tsconfig.json', (file) => readFileSync(file, 'utf8')).config;
  return ts
    .parseJsonConfigFileContent(project, ts.sys, process.cwd())
    .fileNames.map((file) => path.relative(process.cwd(), file));
};

/** Imports of types count: a cycle of types is a cycle of knowledge. */
const importsOf = (file: string, text: string): ReadonlyArray<string> =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => path.join(path.dirname(file), fileName).replace(/\.js$/, '.ts'));

/** Depth first; each cycle once, as the path that closes it. */
const cyclesIn = (graph: Graph): ReadonlyArray<string> => {
  const done = new Set<string>();
  const cycles: Array<string> = [];
  const visit = (file: string, trail: ReadonlyArray<string>): void => {
    const closes = trail.indexOf(file);
    if (closes !== -1) {
      cycles.push([...trail.slice(closes), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
};

describe('import cycles', () => {
  it('there are none', () => {
    const graph = new Map(sourceFiles().map((file) => [file, importsOf(file, readFileSync(file, 'utf8'))]));
    expect(cyclesIn(graph)).to.deep.equal([]);
  });

  it('a cycle is found, through types too', () => {
    const planted = new Map([
      ['src/a.ts', importsOf('src/a.ts', "import { b } from './deep/b.js';\nimport 'node:fs';")],
      ['src/deep/b.ts', importsOf('src/deep/b.ts', "export * from './c.js';")],
      ['src/deep/c.ts', importsOf('src/deep/c.ts', "import type { A } from '../a.js';")],
      ['src/free.ts', importsOf('src/free.ts', "import { a } from './a.js';")],
    ]);
    expect(cyclesIn(planted)).to.deep.equal(['src/a.ts → src/deep/b.ts → src/deep/c.ts → src/a.ts']);
  });

  it('a diamond is no cycle', () => {
    const diamond = new Map([
      ['a.ts', ['b.ts', 'c.ts']],
      ['b.ts', ['d.ts']],
      ['c.ts', ['d.ts']],
      ['d.ts', []],
    ]);
    expect(cyclesIn(diamond)).to.deep.equal([]);
  });
});
