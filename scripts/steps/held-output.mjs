/** Output of a step that runs beside another one: held until `release`, and written at once from then on, so that the two do not mix. */
export class HeldOutput {
  #held = [];
  stdout = this.#before('stdout');
  stderr = this.#before('stderr');

  release() {
    for (const [name, text] of this.#held ?? []) process[name].write(text);
    this.#held = undefined;
  }

  #before(name) {
    return {
      write: (text) => {
        if (this.#held) this.#held.push([name, text]);
        else process[name].write(text);
      },
    };
  }
}
