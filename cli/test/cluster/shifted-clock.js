/**
 * Shifts the clock of a process by `MEMBUS_TEST_CLOCK_SHIFT_MS`, as if its machine had another time. Durations
 * and timers keep their length.
 */
const shiftMs = Number(process.env.MEMBUS_TEST_CLOCK_SHIFT_MS);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + shiftMs });
