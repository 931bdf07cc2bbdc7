/** The languages of the person in front of the phone, and what follows from them. */
export const locales = () =>
  navigator.languages.map((tag) => {
    const { language, region, script } = new Intl.Locale(tag).maximize()
    return { languageTag: tag, languageCode: language, countryCode: region ?? "US", scriptCode: script }
  })

const part = (type: Intl.NumberFormatPartTypes, otherwise: string): string =>
  new Intl.NumberFormat(navigator.language).formatToParts(12345678.9).find((one) => one.type === type)?.value ??
  otherwise

/** How numbers are written. */
export const separators = () => ({ decimalSeparator: part("decimal", "."), groupingSeparator: part("group", "") })

/** Whether the clock has 24 hours. */
export const has24Hours = (): boolean =>
  new Intl.DateTimeFormat(navigator.language, { hour: "numeric" }).resolvedOptions().hour12 !== true

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
