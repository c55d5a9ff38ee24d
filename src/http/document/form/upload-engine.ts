import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type multer from '@koa/multer';
import { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../../../application/ports.js';
import type { Stored } from '../../../application/document/store-upload.js';
import type { StoreUpload } from '../../../application/document/with-upload.js';
import { requestInvalid, type RequestInvalid } from '../../problem/failure.js';
import { isUtf8Charset, typeOf } from '../../request/media-type.js';
import { originalNameOf } from '../original-name.js';
import { declaredTypeOf } from '../upload.js';
import { isReplaced, NAMELESS } from './form-text.js';
import type { PartHead, PartScan } from './part-scan.js';

const foreignCharset = (name: string): RequestInvalid => requestInvalid({ path: name, message: 'must be in UTF-8' });

// busboy reads all of these as ISO 8859-1, whose controls are characters in windows-1252
const SINGLE_BYTE = /^(?:latin1|cp1252|x-cp1252|windows-1252|iso[-_]?8859-?1(?::1987)?)$/i;

/** Whether the parser has read a text in the charset that its part declares, and not in another one. */
const isReadAs = (charset: string, text: string): boolean => {
  if (/^(?:us-)?ascii$/i.test(charset)) return !/[\u0080-\uffff]/.test(text);
  return SINGLE_BYTE.test(charset) ? !/[\u0080-\u009f]/.test(text) : /^(?:utf-?8|utf-?16le|ucs-?2)$/i.test(charset);
};

const UNREADABLE = requestInvalid({ path: '', message: 'has a part whose headers cannot be read' });

/** The file's name is empty once it is cleaned, or not in UTF-8. */
export class UnusableFileName extends Error {}

/**
 * multer's storage engine for the one file of a form, which is stored while it arrives. `outcome` says what became of it,
 * since multer may give up on a form before its file is stored.
 */
export class UploadEngine implements multer.StorageEngine {
  readonly #store: StoreUpload;
  readonly #scan: PartScan;
  #declaredType: string | undefined;
  #stream: Readable | undefined;
  #isOver = false;
  #outcome: Promise<Stored | undefined> = Promise.resolve(undefined);
  #partFault: RequestInvalid | undefined;
  /** Of the parts that the parser has read. */
  readonly #names: Array<string> = [];
  #onStorageFailure: (failure: StorageUnavailable) => void = () => undefined;
  /** Resolves as soon as the storage fails: the rest of the form is then not worth waiting for. */
  readonly storageFailed = new Promise<StorageUnavailable>((resolve) => (this.#onStorageFailure = resolve));

  constructor(store: StoreUpload, scan: PartScan) {
    this.#store = store;
    this.#scan = scan;
  }

  _handleFile(_request: IncomingMessage, file: multer.File, callback: (error?: Error | null) => void): void {
    // reason: multer adds the part's stream to the file while an engine handles it; the types leave it out
    const { stream } = file as unknown as { readonly stream: Readable };
    if (this.#isOver) {
      stream.resume();
      callback(new Error('the form was given up'));
      return;
    }
    const originalName = isReplaced(file.originalname) ? undefined : originalNameOf(file.originalname);
    if (originalName === undefined) {
      stream.resume();
      callback(new UnusableFileName());
      return;
    }
    this.#stream = stream;
    // The parser would end the stream at the limit as if the file ended there.
    stream.once('limit', () => this.abort());
    const declaredType = declaredTypeOf(this.#declaredType ?? typeOf(file.mimetype));
    this.#outcome = this.#store({ body: stream, originalName, declaredType });
    void this.#outcome.then((stored) => {
      if (stored !== undefined && E.isLeft(stored)) {
        if (stored.left._tag === 'StorageUnavailable') this.#onStorageFailure(stored.left);
        callback(new Error('the file was not stored'));
      } else callback(null);
    });
  }

  /** Nothing to do: `withUpload` removes the file when the form fails. */
  _removeFile(_request: IncomingMessage, _file: multer.File, callback: (error: Error) => void): void {
    // reason: multer takes null for "no error", its types do not
    callback(null as unknown as Error);
  }

  #noteFault(fault: RequestInvalid): void {
    this.#partFault ??= fault;
  }

  #notePart(name: string): PartHead {
    const head = this.#scan.headOf(this.#names.push(name) - 1);
    if (head.fault !== undefined) this.#noteFault(requestInvalid({ path: name, message: head.fault }));
    return head;
  }

  /** To be called with each file part, before multer is: multer silently drops the content of one without a file name. */
  noteFile(name: string, content: Readable, { filename = '' }: { readonly filename?: string }): void {
    const { type } = this.#notePart(name);
    if (name === 'file') this.#declaredType = type;
    if (filename !== '') return;
    if (name === 'file') content.once('data', () => this.#noteFault(NAMELESS));
    // a text that is declared as application/octet-stream
    else this.#noteFault(requestInvalid({ path: name, message: 'must be sent as text, or have a file name' }));
  }

  /**
   * To be called with each other part: the parser takes some charsets for others, and drops a text whose charset it does not
   * know. A form can also name the charset of all its texts (RFC 7578 §4.6), which it does not look at.
   */
  noteField(name: string, value: unknown): void {
    const { charset = 'utf-8' } = this.#notePart(name);
    const isForeign =
      typeof value !== 'string' || !isReadAs(charset, value) || (name === '_charset_' && !isUtf8Charset(value));
    if (isForeign) this.#noteFault(foreignCharset(name));
  }

  /** A fault of the form that the parser has missed; undefined when there is none. */
  fault(): RequestInvalid | undefined {
    if (this.#partFault !== undefined) return this.#partFault;
    if (this.#names.length < this.#scan.parts) return UNREADABLE;
    const path = this.#names[this.#scan.wrongLength ?? this.#names.length];
    return path === undefined ? undefined : requestInvalid({ path, message: 'is not as long as its Content-Length' });
  }

  /** Breaks the file off, so that it is not stored, and takes no other. */
  abort(): void {
    this.#isOver = true;
    this.#stream?.destroy(new Error('the file was broken off'));
  }

  /** Resolves when the file is stored, or is not; to undefined when there was none. */
  outcome(): Promise<Stored | undefined> {
    return this.#outcome;
  }
}
