/** The colours of the pages: those of the system, or the theme that a browser chose, which its cookie keeps. */
export const themes = { system: "System", light: "Light", dark: "Dark" } as const
export type Theme = keyof typeof themes

/** The cookie of a chosen theme. It isn't a secret, and the page's script sets it. */
export const themeCookie = "slipway-theme"

export const isTheme = (value: string | undefined): value is Theme =>
  value !== undefined && Object.hasOwn(themes, value)

/** When the dark stylesheet holds, as a media query. */
export const darkWhen: Record<Theme, string> = {
  system: "(prefers-color-scheme: dark)",
  light: "not all",
  dark: "all"
}

/** Which colours the browser draws before it has read a stylesheet. */
export const schemes: Record<Theme, string> = { system: "light dark", light: "light", dark: "dark" }
