import { locale, settings } from "./device.ts"

/** The languages of the person in front of the phone, and what follows from them. */
export const locales = () =>
  (settings().locale === undefined ? navigator.languages : [locale()]).map((tag) => {
    const { language, region, script } = new Intl.Locale(tag).maximize()
    return { languageTag: tag, languageCode: language, countryCode: region ?? "US", scriptCode: script }
  })

export const isRtl = (language: string): boolean => /^(?:ar|dv|fa|he|ps|ur|yi)$/.test(language)

const part = (type: Intl.NumberFormatPartTypes, otherwise: string): string =>
  new Intl.NumberFormat(locale()).formatToParts(12345678.9).find((one) => one.type === type)?.value ?? otherwise

/** How numbers are written. */
export const separators = () => ({ decimalSeparator: part("decimal", "."), groupingSeparator: part("group", "") })

/** Whether the clock has 24 hours. */
export const has24Hours = (): boolean =>
  new Intl.DateTimeFormat(locale(), { hour: "numeric" }).resolvedOptions().hour12 !== true

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
