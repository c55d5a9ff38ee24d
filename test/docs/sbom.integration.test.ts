import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';

const EXAMPLE = /<!-- example: sbom -->\n+```sh\n([\s\S]*?)\n```/;

type Component = {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: ReadonlyArray<{ readonly license?: { readonly id?: string }; readonly expression?: string }>;
};

type Bom = {
  readonly metadata: { readonly component: Component };
  readonly components: ReadonlyArray<Component>;
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>;
};

type Locked = { readonly version?: string; readonly dev?: boolean };

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
]);

const component = {
  type: 'object',
  required: ['type', 'name', 'version', 'bom-ref', 'purl', 'licenses'],
  properties: {
    type: { enum: ['application', 'framework', 'library'] },
    name: { type: 'string', minLength: 1 },
    version: { type: 'string', minLength: 1 },
    'bom-ref': { type: 'string', minLength: 1 },
    purl: { type: 'string', pattern: '^pkg:npm/' },
    scope: { enum: ['required', 'optional', 'excluded'] },
    hashes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['alg', 'content'],
        properties: {
          alg: { enum: ['MD5', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] },
          content: { type: 'string', pattern: '^([a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{96}|[a-f0-9]{128})$' },
        },
      },
    },
    licenses: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        oneOf: [{ required: ['license'] }, { required: ['expression'] }],
        properties: {
          license: { type: 'object', oneOf: [{ required: ['id'] }, { required: ['name'] }] },
          expression: { type: 'string', minLength: 1 },
        },
      },
    },
  },
};

/** What we use of https://cyclonedx.org/schema/bom-1.5.schema.json, and what it leaves open that we promise. */
const BOM = {
  type: 'object',
  required: ['bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata', 'components', 'dependencies'],
  properties: {
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.5' },
    serialNumber: { type: 'string', pattern: '^urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' },
    version: { type: 'integer', minimum: 1 },
    metadata: {
      type: 'object',
      required: ['timestamp', 'component'],
      properties: { timestamp: { type: 'string', format: 'date-time' }, component },
    },
    components: { type: 'array', minItems: 1, uniqueItems: true, items: component },
    dependencies: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'object',
        required: ['ref'],
        properties: { ref: { type: 'string' }, dependsOn: { type: 'array', uniqueItems: true } },
      },
    },
  },
};

const licencesOf = ({ licenses = [] }: Component): ReadonlyArray<string> =>
  licenses.flatMap(({ license, expression = '' }) =>
    license === undefined ? expression.split(/[()\s]+|AND|OR/).filter((id) => id !== '') : [license.id ?? 'none'],
  );

/** `name@version` of every package that the lock file has for production and that is installed here. */
const productionPackages = async (): Promise<ReadonlyArray<string>> => {
  // reason: the form of npm's lock file, version 3
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([where, { dev }]) => where !== '' && dev !== true && existsSync(where))
    .map(([where, { version = '' }]) => `${where.split('node_modules/').at(-1) ?? ''}@${version}`);
};

describe('the list of what the service is made of', function () {
  this.timeout(180_000);
  let bom: Bom;

  before(async () => {
    const [, command = ''] = EXAMPLE.exec(await readFile('docs/security.md', 'utf8')) ?? [];
    expect(command, 'the command of docs/security.md').to.match(/^npm run -s sbom > sbom\.json$/);
    const directory = await mkdtemp(path.join(tmpdir(), 'sbom-'));
    const written = path.join(directory, 'sbom.json');
    // a registry that nobody could ask
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' };
    await promisify(execFile)('bash', ['-eu', '-c', command.replace('sbom.json', `'${written}'`)], { env });
    bom = JSON.parse(await readFile(written, 'utf8')) as Bom; // reason: the first test validates it
    await rm(directory, { recursive: true });
  });

  it('is valid CycloneDX, made without a network', () => {
    const ajv = new Ajv2020.default({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(BOM);
    expect(validate(bom), ajv.errorsText(validate.errors)).to.equal(true);
    const refs = [bom.metadata.component, ...bom.components].map((each) => each['bom-ref']);
    expect(new Set(refs).size, 'each reference once').to.equal(refs.length);
    const used = bom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(used.filter((ref) => !refs.includes(ref))).to.deep.equal([]);
  });

  it('has every package that the service runs with, and no other', async () => {
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    const expected = await productionPackages();
    expect(expected).to.include.members(['koa@3.3.0', 'pg@8.23.1']);
    expect(expected.filter((each) => !listed.has(each))).to.deep.equal([]);
    expect([...listed].filter((each) => !expected.includes(each))).to.deep.equal([]);
    expect(bom.metadata.component.name).to.equal('business-document-service');
  });

  it('has only permissive licences', () => {
    const others = bom.components.filter((each) => {
      const licences = licencesOf(each);
      return licences.length === 0 || licences.some((licence) => !PERMISSIVE.has(licence));
    });
    expect(others.map(({ name, licenses }) => ({ name, licenses }))).to.deep.equal([]);
  });
});
