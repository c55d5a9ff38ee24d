import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { programVersion } from '../../src/infrastructure/program-version.js';
import { servedTable } from '../http/openapi/served-table.js';

describe('the version of the service', () => {
  it('is the newest one of the changelog, whose versions descend', async () => {
    const changelog = await readFile('CHANGELOG.md', 'utf8');
    const versions = [...changelog.matchAll(/^## (.*)$/gm)].map(([, version = '']) => version);
    expect(versions[0]).to.equal(programVersion());
    for (const version of versions) expect(version).to.match(/^\d+\.\d+\.\d+$/);
    const descending = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    expect(versions).to.deep.equal([...new Set(descending)]);
  });

  it('is that of the package, and of what is locked', async () => {
    // reason: our own files
    const locked = JSON.parse(await readFile('package-lock.json', 'utf8')) as { readonly version: string };
    expect(locked.version).to.equal(programVersion());
  });

  it('is that of the description, in which nothing ends', async () => {
    const document = openApiDocument(await servedTable(), programVersion());
    expect(document['info']).to.include({ version: programVersion() });
    expect(JSON.stringify(document)).not.to.match(/"deprecated"|"Sunset"|"Deprecation"/);
  });
});
