/** The output of a step that runs beside another one. It is held until `release` and written at once from then on, so that the two do not mix. */
export class HeldOutput {
  #held = [];
  stdout = this.#stream('stdout');
  stderr = this.#stream('stderr');

  release() {
    for (const [name, text] of this.#held ?? []) process[name].write(text);
    this.#held = undefined;
  }

  #stream(name) {
    return {
      write: (text) => {
        if (this.#held) this.#held.push([name, text]);
        else process[name].write(text);
      },
    };
  }
}
