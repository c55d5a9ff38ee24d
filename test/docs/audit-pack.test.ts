import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { makePackedLog, membersOf, packOf } from '../support/audit-pack.js';

type Members = ReadonlyMap<string, Buffer>;
type Values = Readonly<Record<string, string>>;

const visible = (text: string): string => {
  const named = Array.from(text)
    .map((character) => {
      const code = character.codePointAt(0)!;
      const isUnseen =
        code <= 0x1f ||
        (code >= 0x7f && code <= 0x9f) ||
        [0xad, 0x61c, 0x180e, 0xfeff].includes(code) ||
        (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2060 && code <= 0x2069) ||
        (code >= 0xd800 && code <= 0xdfff);
      return isUnseen ? `\\u${code.toString(16).padStart(4, '0')}` : character;
    })
    .join('');
  return named
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
};

const fill = (template: string, values: Values): string =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, () => visible(value)), template);

/** A template with one of its lines in place of which there are as many as there are values. */
const repeat = (template: string, line: RegExp, all: ReadonlyArray<Values>): string =>
  template.replace(line, (one) => all.map((values) => fill(one, values)).join(''));

const counted = (count: number, what: string): string => (count === 1 ? `1 ${what}` : `${count} ${what}s`);

const asText = (json: Json | undefined): string => (typeof json === 'string' ? json : canonicalJson(json ?? null));

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

describe('docs/audit-pack.md', () => {
  let page: string;

  before(async () => {
    page = await readFile('docs/audit-pack.md', 'utf8');
  });

  const template = (name: string): string => {
    const [, text] = new RegExp(`<!-- template: ${name} -->\\n\\n\`\`\`html\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
    if (text === undefined) throw new Error(`the page has no template ${name}`);
    return text;
  };

  const eventAsDocumented = ({ index, revision, type, data, metadata }: JsonObject): string => {
    const { at, actor, salt } = metadata as JsonObject;
    const values = { revision: asText(revision), type: asText(type), index: asText(index) };
    const shown = { ...values, 'metadata.at': asText(at), 'metadata.actor': asText(actor) };
    const told =
      isObject(data) && '$reason' in data
        ? template('event').replace('{data.$reason}', () => visible(asText(data['$reason'])))
        : template('event').replace(/<dt>reason.*\n/, '');
    if (data === undefined || salt === undefined)
      return fill(told, shown).replace(/<dl class="data">[^]*?<\/dl>\n/, template('withheld'));
    const members = isObject(data)
      ? Object.entries(data).filter(([name]) => name !== '$reason')
      : [['data', data] as const];
    const rows = members.map(([name, value]) => ({ name, value: canonicalJson(value ?? null) }));
    const line = /<dt>\{name\}.*\n/;
    const [before, after] = told.split(line) as [string, string];
    return fill(before, shown) + repeat(line.exec(told)![0], line, rows) + fill(after, shown);
  };

  /** The page as docs/audit-pack.md says, from the other members of the pack. */
  const reportAsDocumented = (members: Members): string => {
    const manifest = members.get('manifest.txt')!.toString().split('\n');
    const head = (name: string): string => manifest.find((line) => line.startsWith(`${name} `))!.slice(name.length + 1);
    const namesOf = (folder: string): ReadonlyArray<string> =>
      [...members.keys()].filter((name) => name.startsWith(folder));
    const records = namesOf('records/').map((name) => ({
      stream: name.slice('records/'.length, -'.ndjson'.length),
      lines: members.get(name)!.toString().trimEnd().split('\n'),
    }));
    const files = namesOf('files/').map((name) => ({
      sha256: name.slice('files/'.length),
      'counted n, byte': counted(members.get(name)!.length, 'byte'),
    }));
    const [origin, created, events] = ['origin', 'created', 'events'].map(head) as [string, string, string];
    const values = { origin, created, records: head('records'), events, 'included or withheld': head('data') };
    const contents = records.map(({ stream, lines }) => ({
      stream,
      'counted n, event': counted(lines.length, 'event'),
    }));
    const item = /<li>.*\n/;
    const parts = [
      fill(repeat(template('opening'), item, contents), { ...values, 'how many files': String(files.length) }),
      ...records.flatMap(({ stream, lines }) => [
        fill(template('record'), { stream }),
        ...lines.map((line) => eventAsDocumented(JSON.parse(line) as JsonObject)),
        template('record end'),
      ]),
      files.length === 0 ? '' : repeat(template('files'), item, files),
      template('end'),
    ];
    return parts.join('');
  };

  for (const withData of [true, false])
    it(`says how the report is computed, ${withData ? 'with' : 'without'} data`, async () => {
      const members = await membersOf(await packOf(makePackedLog().sources({ withData })));
      expect(members.get('report.html')!.toString()).to.equal(reportAsDocumented(members));
    });

  it('names all members of a pack', async () => {
    const members = await membersOf(await packOf(makePackedLog().sources()));
    for (const name of members.keys()) {
      const documented = name
        .replace(/[0-9a-f]{64}/, '<sha256>')
        .replace(/(?:business|document)-[0-9a-f-]{36}/, '<stream>')
        .replace(/\/\d+\.tlog/, '/<revision>.tlog');
      expect(page).to.include(`\`${documented}\``);
    }
  });
});
