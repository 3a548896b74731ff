/** A long text of JSON that is known to be valid, and has not been parsed here: that could take seconds. It has no white space around its values. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** The value of a body, for routes on which only operators send long ones. */
export const jsonOf = (body: unknown): unknown => (body instanceof JsonText ? JSON.parse(body.text) : body);
