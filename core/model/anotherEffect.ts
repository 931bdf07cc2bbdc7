/** An object of another copy of `effect` fails deep within Slipway's copy, with errors that name neither. */
export const anotherEffect = (what: string): TypeError =>
  new TypeError(
    `${what} of the copy of effect that Slipway uses. If npm ls effect lists several copies, install only the version that Slipway names.`
  )
