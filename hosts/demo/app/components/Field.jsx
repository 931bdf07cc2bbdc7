import { useState } from "react"
import { StyleSheet, Text, TextInput, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** A labelled line, or a few lines, of text. */
export const Field = ({ label, value, onChange, placeholder, multiline = false, testID }) => {
  const theme = useTheme()
  const [focused, setFocused] = useState(false)
  return (
    <View style={styles.field}>
      <Text style={[styles.label, { color: theme.muted }]}>{label}</Text>
      <TextInput
        accessibilityLabel={label}
        testID={testID}
        value={value}
        onChangeText={onChange}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        placeholder={placeholder}
        placeholderTextColor={theme.muted}
        multiline={multiline}
        autoComplete="off"
        style={[
          styles.input,
          multiline && styles.tall,
          { backgroundColor: theme.sunken, color: theme.ink, borderColor: focused ? theme.accent : theme.sunken }
        ]}
      />
    </View>
  )
}

const styles = StyleSheet.create({
  field: { gap: 8 },
  label: { fontSize: 13, fontWeight: "700" },
  input: { minHeight: 48, borderRadius: 14, borderWidth: 2, paddingHorizontal: 14, fontSize: 16, outlineWidth: 0 },
  tall: { height: 92, paddingVertical: 12, lineHeight: 22, textAlignVertical: "top", resize: "none" }
})
