import { Pressable, StyleSheet, Text } from "react-native"
import { useTheme } from "../parts/theme.js"

/** A button named by its text; `quiet` draws it without fill. */
export const Button = ({ label, onPress, quiet = false, disabled = false, style, testID }) => {
  const theme = useTheme()
  const fill = quiet ? theme.surface : theme.accent
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={label}
      disabled={disabled}
      onPress={onPress}
      testID={testID}
      style={({ pressed }) => [
        styles.button,
        { backgroundColor: fill, borderColor: quiet ? theme.line : fill },
        disabled && styles.disabled,
        pressed && styles.pressed,
        style
      ]}
    >
      <Text style={[styles.label, { color: quiet ? theme.ink : theme.onAccent }]}>{label}</Text>
    </Pressable>
  )
}

const styles = StyleSheet.create({
  button: {
    minHeight: 52,
    paddingHorizontal: 20,
    borderRadius: 16,
    borderWidth: 1,
    alignItems: "center",
    justifyContent: "center"
  },
  label: { fontSize: 16, fontWeight: "700" },
  disabled: { opacity: 0.45 },
  pressed: { opacity: 0.85, transform: [{ scale: 0.98 }] }
})
