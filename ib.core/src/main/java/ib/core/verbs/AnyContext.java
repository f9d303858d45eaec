package ib.core.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * May be called from any context, callbacks and other atomic sections included: it never sleeps,
 * parks or enters a monitor (S2-S12). On a type: holds for each method that does not say otherwise.
 * The verifier reads it from the class file.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.CONSTRUCTOR})
public @interface AnyContext {}
