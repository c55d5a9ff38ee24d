import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { mediaTypeOf, SNIFFED_BYTES } from '../../../src/application/document/media-type.js';
import { storedZip } from '../../support/stored-zip.js';

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MACROS = 'application/vnd.ms-word.document.macroenabled.12';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const zip = (...names: ReadonlyArray<string>): Buffer =>
  storedZip(names.map((name) => ({ name, content: Buffer.alloc(name.endsWith('jpeg') ? 5000 : 50) })));
const CONTENT_TYPES = Buffer.from(`<Types><Override PartName="/a" ContentType="${WORD}.main+xml"/></Types>`);
const docx = storedZip([{ name: '[Content_Types].xml', content: CONTENT_TYPES }]);
const isoMedia = (brand: string): Buffer =>
  Buffer.concat([hex('00000018'), Buffer.from(`ftyp${brand}`), Buffer.alloc(16)]);
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const binary = (beginning: string): Buffer => Buffer.concat([hex(beginning), hex('00ff'.repeat(200))]);

const PNG = hex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489');
const CFB = Buffer.concat([hex('d0cf11e0a1b11ae1'), Buffer.alloc(600)]);
const TIFF = hex('49492a00 08000000 0000 00000000');
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n%'), hex('e2e3cfd3'), Buffer.from('\n1 0 obj')]);
const XML = Buffer.from('<?xml version="1.0"?>\n<x/>');

describe('the media type of a file', () => {
  const formats: ReadonlyArray<readonly [what: string, head: Buffer, declared: string | undefined, type: string]> = [
    // a container, and what is packed in it
    ['a docx whose thumbnail comes first', zip('docProps/thumbnail.jpeg', 'word/document.xml'), WORD, WORD],
    [
      'the same without a declared type',
      zip('docProps/thumbnail.jpeg', 'word/document.xml'),
      undefined,
      'application/zip',
    ],
    ['a docx that shows itself', docx, 'application/octet-stream', WORD],
    ['a docx that is declared as a workbook', docx, EXCEL, WORD],
    ['a document with macros', docx, MACROS, MACROS],
    ['a zip archive that is declared as an image', zip('a.txt'), 'image/png', 'application/zip'],
    ['a zip archive that is declared as text', zip('a.txt'), 'text/csv', 'application/zip'],
    [
      'a format of its own in a zip archive',
      zip('a'),
      'application/vnd.example.design',
      'application/vnd.example.design',
    ],
    ['an Excel workbook of before 2007', CFB, 'application/vnd.ms-excel', 'application/vnd.ms-excel'],
    ['a message of Outlook', CFB, 'application/vnd.ms-outlook', 'application/vnd.ms-outlook'],
    ['the same without a declared type', CFB, undefined, 'application/x-cfb'],
    ['a compressed tar archive', gzipSync('x'), 'application/x-gtar', 'application/x-gtar'],
    ['a compressed text that is declared as text', gzipSync('x'), 'text/plain', 'application/gzip'],
    ['a raw photograph', TIFF, 'image/x-adobe-dng', 'image/x-adobe-dng'],
    ['a scan', TIFF, 'application/octet-stream', 'image/tiff'],
    ['a scan that is declared as JPEG', TIFF, 'image/jpeg', 'image/tiff'],
    ['sound in MP4', isoMedia('isom'), 'audio/mp4', 'audio/mp4'],
    ['a film', isoMedia('isom'), 'application/octet-stream', 'video/mp4'],
    // XML, and what is made of it
    ['an SVG with an XML declaration', XML, 'image/svg+xml', 'image/svg+xml'],
    ['an SVG in UTF-8 with a mark', Buffer.concat([hex('efbbbf'), XML]), 'image/svg+xml', 'image/svg+xml'],
    ['an SVG in UTF-16', utf16('<?xml version="1.0"?><svg/>'), 'image/svg+xml', 'image/svg+xml'],
    ['a page in XHTML', XML, 'text/html', 'text/html'],
    ['a workbook in XML', XML, 'application/vnd.ms-excel', 'application/vnd.ms-excel'],
    ['XML without a declared type', XML, undefined, 'application/xml'],
    ['XML that is declared as PNG', XML, 'image/png', 'application/xml'],
    // what tells
    ['PNG that is declared as a page', PNG, 'text/html', 'image/png'],
    ['PDF that is declared as text', PDF, 'text/plain', 'application/pdf'],
    ['PDF that is declared as Word', PDF, 'application/msword', 'application/pdf'],
    ['PDF of Illustrator', PDF, 'application/illustrator', 'application/illustrator'],
    ['PostScript', Buffer.from('%!PS-Adobe-3.0\n%%Title: x'), 'text/plain', 'application/postscript'],
    ['a calendar', Buffer.from('BEGIN:VCALENDAR\nVERSION:2.0'), 'text/plain', 'text/calendar'],
    ['a bitmap', binary('424d'), 'text/plain', 'image/bmp'],
    ['a bitmap that is declared as PNG', binary('424d'), 'image/png', 'image/bmp'],
    // what may begin so by accident
    ['a TeX source', Buffer.from('%!TEX program = xelatex\n'), 'application/x-tex', 'application/x-tex'],
    [
      'compressed data that begins like a disk image',
      binary('7801'),
      'application/vnd.example',
      'application/vnd.example',
    ],
    ['data that begins like sound', binary('fffb'), 'application/vnd.example', 'application/vnd.example'],
    ['text in UTF-16', utf16('größe'), 'text/plain', 'text/plain'],
    ['a table in UTF-16', utf16('name;größe'), 'text/csv', 'text/csv'],
    // neither
    ['nothing', Buffer.alloc(0), 'image/png', 'image/png'],
    ['bytes that are no text', hex('00010203'), 'text/plain', 'application/octet-stream'],
    ['a type with parameters', Buffer.from('a,b,c,d,e'), 'text/csv; header=present', 'text/csv; header=present'],
  ];
  for (const [what, head, declared, type] of formats)
    it(`is ${type.slice(0, 50)} for ${what}`, async () => {
      expect(await mediaTypeOf(head.subarray(0, SNIFFED_BYTES), declared)).to.equal(type);
    });

  // the beginnings that file-type knows and that are letters
  const beginnings = [
    ...[
      'BM',
      'MZ',
      'GIF',
      'II',
      'MM',
      'PK',
      'ID3',
      'MP+',
      'FWS',
      'FORM',
      'FLIF',
      '8BPS',
      'OggS',
      'wOFF',
      'fLaC',
      'MAC ',
    ],
    ...[
      'RIFF....WEBP',
      'RIFF....AVI',
      'SQLi',
      'Cr24',
      'MSCF',
      'PAR1',
      'ttcf',
      'regf',
      '#!AMR',
      'IMPM',
      '**-lh0-',
      'ITSF',
    ],
    ...[
      'DRACO',
      'solid ',
      'AC1015',
      '070707',
      'BLENDER',
      '!<arch>\n',
      'let free',
      'the moov',
      '....ftypisom',
      '%!',
      'FLV',
    ],
  ];
  const texts = [
    'text/plain',
    'text/csv',
    'text/markdown',
    'text/html',
    'application/json',
    'image/svg+xml',
    'text/x-c',
  ];
  const text = fc.stringMatching(/^[ -~äöü€\t\n]{0,300}$/);

  it('is the declared one for every text, however it begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('', ...beginnings),
        text,
        fc.constantFrom(...texts),
        fc.constantFrom<BufferEncoding>('utf8', 'latin1', 'utf16le'),
        async (beginning, rest, declared, encoding) => {
          const content = `${encoding === 'utf16le' ? '\ufeff' : ''}${beginning}${rest}`;
          fc.pre(!/^(?:<\?xml |%PDF|%!PS|WEBVTT|BEGIN:V|\{\\rtf|REGEDIT4)/.test(`${beginning}${rest}`));
          expect(await mediaTypeOf(Buffer.from(content, encoding).subarray(0, SNIFFED_BYTES), declared)).to.equal(
            declared,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is the declared one for nearly every content of a format that is not known here', async () => {
    const content = fc.uint8Array({ minLength: 8, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 0xffff }), content, async (first, rest) => {
        // the find rests on these two bytes and on what is drawn: nothing of four bytes is met by chance
        const head = Buffer.concat([hex(first.toString(16).padStart(4, '0')), rest]);
        expect(await mediaTypeOf(head, 'application/vnd.example.design')).to.equal('application/vnd.example.design');
      }),
      { numRuns: 2000 },
    );
  });
});
