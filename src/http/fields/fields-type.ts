import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { isJsonObject } from '../../event-sourcing/canonical-json.js';

type Codecs = Readonly<Record<string, t.Mixed>>;

type Given<Props extends Codecs, Required extends keyof Props> = {
  readonly [Key in Exclude<keyof Props, Required>]?: t.TypeOf<Props[Key]>;
} & { readonly [Key in Required]: t.TypeOf<Props[Key]> };

type Options<Required> = {
  readonly required?: ReadonlyArray<Required>;
  /** By key: another name, which is read when the key itself is absent. */
  readonly aliases?: Readonly<Record<string, string>>;
};

/**
 * The known fields of a request, each by its codec. Unknown keys are dropped, absent ones stay absent, and all faults are
 * reported at once. Only own keys count, so `__proto__` is an unknown key like any other.
 */
export class FieldsType<Props extends Codecs, Required extends keyof Props & string> extends t.Type<
  Given<Props, Required>,
  Given<Props, Required>
> {
  readonly _tag = 'FieldsType' as const;
  readonly props: Props;
  readonly required: ReadonlyArray<string>;
  readonly aliases: Readonly<Record<string, string>>;

  constructor(props: Props, { required = [], aliases = {} }: Options<Required>) {
    super(
      'an object',
      (value): value is Given<Props, Required> => E.isRight(this.validate(value, [])),
      (value, context) => this.#read(value, context),
      t.identity,
    );
    this.props = props;
    this.required = required;
    this.aliases = aliases;
  }

  #read(value: unknown, context: t.Context): t.Validation<Given<Props, Required>> {
    if (!isJsonObject(value)) return t.failure(value, context, 'expected an object');
    const given: Record<string, unknown> = {};
    const faults: t.Errors = [];
    for (const key in this.props) {
      const codec: t.Mixed | undefined = this.props[key];
      const name = this.#nameIn(value, key);
      if (codec === undefined || name === undefined) continue;
      const raw = value[name];
      if (codec.is(raw)) given[key] = raw;
      else {
        const result = codec.validate(raw, t.appendContext(context, name, codec, raw));
        if (E.isRight(result)) given[key] = result.right;
        else faults.push(...result.left);
      }
    }
    faults.push(...this.#missing(value, context));
    // reason: every key came through its own codec, and the required ones are there when there is no fault
    return faults.length === 0 ? t.success(given as Given<Props, Required>) : t.failures(faults);
  }

  #nameIn(value: Readonly<Record<string, unknown>>, key: string): string | undefined {
    if (Object.hasOwn(value, key)) return key;
    const alias = this.aliases[key];
    return alias !== undefined && Object.hasOwn(value, alias) ? alias : undefined;
  }

  #missing(value: Readonly<Record<string, unknown>>, context: t.Context): t.Errors {
    return this.required
      .filter((key) => this.#nameIn(value, key) === undefined)
      .map((key) => ({ value: undefined, context: t.appendContext(context, key, t.unknown), message: 'is required' }));
  }
}

/** The fields a request may or must carry. */
export const fields = <Props extends Codecs, Required extends keyof Props & string = never>(
  props: Props,
  options: Options<Required> = {},
): FieldsType<Props, Required> => new FieldsType(props, options);
