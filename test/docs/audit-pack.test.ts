import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { makePackedLog, membersOf, packOf } from '../support/audit-pack.js';
import { FILE, packOfFacts } from '../support/bad-packs.js';
import { undoneFacts } from '../support/undone-facts.js';

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

  /** What is computed for both forms of the page. */
  const readPack = (members: Members) => {
    const manifest = members.get('manifest.txt')!.toString().split('\n');
    const head = (name: string): string => manifest.find((line) => line.startsWith(`${name} `))!.slice(name.length + 1);
    const namesOf = (folder: string): ReadonlyArray<string> =>
      [...members.keys()].filter((name) => name.startsWith(folder));
    const records = namesOf('records/').map((name) => ({
      stream: name.slice('records/'.length, -'.ndjson'.length),
      events: members
        .get(name)!
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject), // reason: a line is an object
    }));
    const [origin, created, events] = ['origin', 'created', 'events'].map(head) as [string, string, string];
    // there are none in the form before
    const decisions = manifest[6]?.replace('decisions ', '') ?? '';
    const values = {
      origin,
      created,
      records: head('records'),
      events,
      decisions,
      'included or withheld': head('data'),
    };
    const files = namesOf('files/');
    return { form: manifest[0], records, files, values: { ...values, 'how many files': String(files.length) } };
  };

  const ITEM = /<li>.*\n/;

  const firstEvent = ({ index, revision, type, data, metadata }: JsonObject): string => {
    const { at, actor, salt } = metadata as JsonObject;
    const values = { revision: asText(revision), type: asText(type), index: asText(index) };
    const shown = { ...values, 'metadata.at': asText(at), 'metadata.actor': asText(actor) };
    const told =
      isObject(data) && '$reason' in data
        ? template('v1 event').replace('{data.$reason}', () => visible(asText(data['$reason'])))
        : template('v1 event').replace(/<dt>reason.*\n/, '');
    if (data === undefined || salt === undefined)
      return fill(told, shown).replace(/<dl class="data">[^]*?<\/dl>\n/, template('v1 withheld'));
    const members = isObject(data)
      ? Object.entries(data).filter(([name]) => name !== '$reason')
      : [['data', data] as const];
    const rows = members.map(([name, value]) => ({ name, value: canonicalJson(value ?? null) }));
    const line = /<dt>\{name\}.*\n/;
    const [before, after] = told.split(line) as [string, string];
    return fill(before, shown) + repeat(line.exec(told)![0], line, rows) + fill(after, shown);
  };

  /** The page of the form before, as docs/audit-pack.md says, from the other members of the pack. */
  const firstReport = (members: Members): string => {
    const { records, files, values } = readPack(members);
    const contents = records.map(({ stream, events }) => ({
      stream,
      'counted n, event': counted(events.length, 'event'),
    }));
    const listed = files.map((name) => ({
      sha256: name.slice('files/'.length),
      'counted n, byte': counted(members.get(name)!.length, 'byte'),
    }));
    const parts = [
      fill(repeat(template('v1 opening'), ITEM, contents), values),
      ...records.flatMap(({ stream, events }) => [
        fill(template('v1 record'), { stream }),
        ...events.map(firstEvent),
        template('v1 record end'),
      ]),
      files.length === 0 ? '' : repeat(template('v1 files'), ITEM, listed),
      template('v1 end'),
    ];
    return parts.join('');
  };

  const inWords = (value: Json): string => {
    if (typeof value === 'string') return `<q>${visible(value)}</q>`;
    if (value === null || canonicalJson(value) === '[]') return '<em>nothing</em>';
    if (typeof value !== 'object') return canonicalJson(value);
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.map(inWords).join(', ');
    const { originalName, sha256, size } = value as JsonObject; // reason: of a list they are undefined
    if (typeof originalName === 'string' && typeof sha256 === 'string' && typeof size === 'number')
      return `<q>${visible(originalName)}</q>, ${counted(size, 'byte')}, SHA-256 <code>${visible(sha256)}</code>`;
    return `<code>${visible(canonicalJson(value))}</code>`;
  };

  const dataOf = ({ data, metadata }: JsonObject): Json | undefined => {
    if (data === undefined || (metadata as JsonObject)['salt'] === undefined) return undefined;
    return isObject(data) ? Object.fromEntries(Object.entries(data).filter(([name]) => name !== '$reason')) : data;
  };

  const changesIn = (data: Json | undefined): JsonObject =>
    isObject(data) && isObject(data['changes']) ? data['changes'] : {};

  const listed = (names: ReadonlyArray<string>): string => new Intl.ListFormat('en-GB').format(names);

  const whatItDid = (type: string, data: Json | undefined): string => {
    if (!isObject(data)) return type;
    const hasFile = isObject(data['file']);
    const words = /^(Business|Document)(Owner)?(Created|Deleted|Restored|Added|Removed)$/.exec(type);
    if (words !== null) {
      const [, kind = '', owner, did = ''] = words;
      return `${(owner ?? kind).toLowerCase()} ${did.toLowerCase()}${type === 'DocumentCreated' && hasFile ? ' with a file' : ''}`;
    }
    const changed = Object.keys(changesIn(data)).sort();
    const { file, to } = data;
    const isRevision = typeof to === 'number' && to >= 0 && to <= 2 ** 53 - 1 && to % 1 === 0;
    const fields: Readonly<Record<string, ReadonlyArray<string>>> = {
      BusinessUpdated: changed,
      BusinessReverted: isRevision ? changed : [],
      DocumentReverted: isRevision ? [...(hasFile || file === null ? ['file'] : []), ...changed] : [],
      DocumentUpdated: [...(hasFile ? ['file'] : []), ...changed],
      BusinessOwnerUpdated: Object.keys(data)
        .filter((name) => name !== 'user')
        .sort(),
    };
    const names = fields[type] ?? [];
    const how = type.endsWith('Reverted') ? `reverted to revision ${canonicalJson(to ?? null)}` : 'updated';
    return names.length === 0 ? type : `${type.includes('Owner') ? 'owner ' : ''}${listed(names)} ${how}`;
  };

  /** Label, value, and whether it is told what was before. */
  const linesOf = (type: string, data: Json): ReadonlyArray<readonly [string, Json, boolean]> => {
    if (!isObject(data)) return [['data', data, false]];
    const isUpdate = /(Updated|Reverted)$/.test(type);
    const changed = isUpdate ? Object.entries(changesIn(data)) : [];
    const hasChanges = isUpdate && isObject(data['changes']);
    const owner = type.startsWith('BusinessOwner') && typeof data['user'] === 'string' ? data['user'] : undefined;
    const others = Object.entries(data).filter(([name]) => !hasChanges || name !== 'changes');
    return [
      ...changed.map(([name, value]) => [name, value ?? null, true] as const),
      ...others.map(([name, value]) =>
        owner !== undefined && name === 'user'
          ? (['owner', owner, false] as const)
          : ([
              owner === undefined ? name : `${name} of owner ${owner}`,
              value ?? null,
              isUpdate && (name === 'file' || owner !== undefined),
            ] as const),
      ),
    ];
  };

  const recordAsDocumented = (stream: string, events: ReadonlyArray<JsonObject>) => {
    const place = stream.replace('-', ' ');
    let title = place;
    const before = new Map<string, string>();
    let unknown = '<em>nothing</em>';
    const files: Array<{ readonly revision: string; readonly file: string }> = [];
    const articles = events.map((event) => {
      const data = dataOf(event);
      const type = asText(event['type']);
      const { at, actor } = event['metadata'] as JsonObject; // reason: it is an object in every line
      const name = isObject(data) ? (isObject(data['changes']) ? data['changes'] : data)['name'] : undefined;
      if (typeof name === 'string') title = name;
      if (isObject(data) && isObject(data['file']))
        files.push({ revision: asText(event['revision']), file: inWords(data['file']) });
      const reason = isObject(event['data']) ? event['data']['$reason'] : undefined;
      const values = { stream, revision: asText(event['revision']), type, index: asText(event['index']) };
      const told = fill(reason === undefined ? template('event').replace(/<dt>why.*\n/, '') : template('event'), {
        ...values,
        'what it did': whatItDid(type, data),
        'metadata.at': asText(at),
        'metadata.actor': asText(actor),
        'data.$reason': asText(reason),
      });
      if (data === undefined) {
        before.clear();
        unknown = '<em>not known</em>';
        return told.replace(/<dl class="data">[^]*?<\/dl>\n/, () => template('withheld'));
      }
      const [changing = '', plain = ''] = /(<dt>\{label\}.*\n)(<dt>\{label\}.*\n)/.exec(told)!.slice(1);
      const rows = linesOf(type, data).map(([label, value, isChange]) => {
        const line = (isChange ? changing : plain)
          .replace('{{before}}', () => before.get(label) ?? unknown)
          .replace('{{value}}', () => inWords(value))
          .replace('{label}', () => visible(label));
        before.set(label, inWords(value));
        return line;
      });
      return told.replace(changing + plain, () => rows.join(''));
    });
    const [first, last] = [events[0]!, events.at(-1)!].map(({ metadata }) =>
      asText((metadata as JsonObject)['at']),
    ) as [string, string]; // reason: two were mapped
    const values = { stream, title, place, 'counted n, event': counted(events.length, 'event') };
    return { values: { ...values, 'first at': first, 'last at': last }, articles, files };
  };

  const decisionsAsDocumented = (members: Members, titles: ReadonlyMap<string, string>): string => {
    const decisions = [...members]
      .filter(([name]) => name.startsWith('decisions/'))
      .map(([, line]) => JSON.parse(line.toString()) as JsonObject); // reason: a line is an object
    if (decisions.length === 0) return '';
    const [article = ''] = /<article[^]*<\/article>\n/.exec(template('decisions')) ?? [];
    const line = /<dt>\{label\}.*\n/;
    const articles = decisions.map(({ stream, revision, index, type, data, metadata }) => {
      const { reason, stream: concerned, ...others } = data as JsonObject; // reason: those of decisions are objects
      const { at, actor } = metadata as JsonObject; // reason: it is an object in every line
      const told = fill(reason === undefined ? article.replace(/<dt>why.*\n/, '') : article, {
        stream: asText(stream),
        revision: asText(revision),
        index: asText(index),
        type: asText(type),
        title: titles.get(asText(concerned)) ?? '',
        'data.stream': asText(concerned),
        'data.reason': asText(reason),
        'metadata.at': asText(at),
        'metadata.actor': asText(actor),
      });
      const rows = Object.entries({ ...others, stream: concerned })
        .sort(([one], [another]) => (one < another ? -1 : 1))
        .map(([label, value]) =>
          line
            .exec(article)![0]
            .replace('{{value}}', () => inWords(value ?? null))
            .replace('{label}', () => visible(label)),
        );
      return told.replace(line, () => rows.join(''));
    });
    return template('decisions').replace(article, () => articles.join(''));
  };

  /** The page as docs/audit-pack.md says, from the other members of the pack. */
  const reportAsDocumented = (members: Members): string => {
    const { records, values } = readPack(members);
    const told = records.map(({ stream, events }) => recordAsDocumented(stream, events));
    const [, size = '', root = ''] = members.get('checkpoint.txt')!.toString().split('\n');
    const signed = { 'counted size, event': counted(Number(size), 'event'), root };
    const key = members.get('key.txt')!.toString().trimEnd();
    const items = told.flatMap(({ files, values: { stream, title } }) =>
      files.map(({ revision, file }) =>
        fill(
          ITEM.exec(template('files'))![0].replace('{{data.file}}', () => file),
          { stream, title, revision },
        ),
      ),
    );
    const contents = told.map((record) => record.values);
    return [
      fill(repeat(template('opening'), ITEM, contents), { ...values, ...signed, key }),
      ...told.flatMap((record) => [
        fill(template('record'), record.values),
        ...record.articles,
        template('record end'),
      ]),
      decisionsAsDocumented(members, new Map(contents.map(({ stream, title }) => [stream, title]))),
      items.length === 0 ? '' : template('files').replace(ITEM, () => items.join('')),
      template('end'),
    ].join('');
  };

  for (const withData of [true, false])
    it(`says how the report is computed, ${withData ? 'with' : 'without'} data`, async () => {
      const members = await membersOf(await packOf(makePackedLog().sources({ withData })));
      expect(members.get('report.html')!.toString()).to.equal(reportAsDocumented(members));
    });

  it('says what is told where the data of an earlier event was erased', async () => {
    const members = await membersOf(await packOf(makePackedLog({ erased: 122 }).sources()));
    const report = members.get('report.html')!.toString();
    expect(report).to.include('<dd><em>not known</em> → 0</dd>').and.to.equal(reportAsDocumented(members));
  });

  it('says what is told of what was deleted, restored and reverted, and of data of any shape', async () => {
    const facts = undoneFacts.map(([type, data], index) => ({ type, data, index }));
    const members = await membersOf(await packOfFacts(facts, [FILE]));
    expect(members.get('report.html')!.toString()).to.equal(reportAsDocumented(members));
  });

  for (const file of ['v1.zip', 'v1-without-data.zip'])
    it(`says how that of the form before is computed: ${file}`, async () => {
      const members = await membersOf(await readFile(`test/fixtures/audit-pack/${file}`));
      expect(readPack(members).form).to.equal('audit-pack/v1');
      expect(members.get('report.html')!.toString()).to.equal(firstReport(members));
    });

  it('names all members of a pack', async () => {
    const members = await membersOf(
      await packOf(makePackedLog().sources({ keyChanges: 'notes', timestamp: Buffer.of(0) })),
    );
    expect([...members.keys()]).to.include.members(['checkpoint.tsr', 'key-changes.txt']);
    for (const name of members.keys()) {
      const documented = name
        .replace(/[0-9a-f]{64}/, '<sha256>')
        .replace(/(?:business|document)-[0-9a-f-]{36}|operations-businesses/, '<stream>')
        .replace(/\/\d+(?=\.(?:tlog|ndjson))/, '/<revision>');
      expect(page).to.include(`\`${documented}\``);
    }
  });
});
