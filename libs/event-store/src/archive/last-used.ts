/** A bounded number of the values set last; reading a value does not make it newer. */
export class LastUsed<T> {
  private readonly held = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    return this.held.get(key);
  }

  set(key: string, value: T): void {
    this.held.delete(key);
    this.held.set(key, value);
    const [oldest] = this.held.keys();
    if (this.held.size > this.most && oldest !== undefined) this.held.delete(oldest);
  }
}
